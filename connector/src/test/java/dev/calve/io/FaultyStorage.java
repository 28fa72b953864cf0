package dev.calve.io;

import dev.calve.io.RequestLog.Request;
import java.io.IOException;

/** Passes everything on to another storage, counts the requests and makes chosen ones fail: see {@link #requests()}. */
public final class FaultyStorage implements Storage {

    private final Storage target;
    private final RequestLog requests = new RequestLog();

    public FaultyStorage(Storage target) {
        this.target = target;
    }

    public RequestLog requests() {
        return requests;
    }

    @Override
    public InputFile input(String location) {
        return new Input(target.input(location));
    }

    @Override
    public InputFile input(String location, long length) {
        return new Input(target.input(location, length));
    }

    @Override
    public PositionOutput create(String location) throws IOException {
        return requests.run(Request.CREATE, location, () -> new Output(location, target.create(location)));
    }

    @Override
    public boolean exists(String location) throws IOException {
        return requests.run(Request.EXISTS, location, () -> target.exists(location));
    }

    @Override
    public void delete(String location) throws IOException {
        requests.run(Request.DELETE, location, () -> {
            target.delete(location);
            return location;
        });
    }

    private final class Input implements InputFile {
        private final InputFile input;

        Input(InputFile input) {
            this.input = input;
        }

        @Override
        public String location() {
            return input.location();
        }

        @Override
        public long length() throws IOException {
            return requests.run(Request.LENGTH, location(), input::length);
        }

        @Override
        public RangeInput open() throws IOException {
            var open = requests.run(Request.OPEN, location(), input::open);
            return new RangeInput() {
                @Override
                public void readFully(long position, byte[] bytes, int offset, int count) throws IOException {
                    requests.run(Request.READ, location(), () -> {
                        open.readFully(position, bytes, offset, count);
                        return bytes;
                    });
                }

                @Override
                public void close() throws IOException {
                    open.close();
                }
            };
        }
    }

    private final class Output extends PositionOutput {
        private final String location;
        private final PositionOutput output;

        Output(String location, PositionOutput output) {
            this.location = location;
            this.output = output;
        }

        @Override
        public long position() {
            return output.position();
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int count) throws IOException {
            requests.run(Request.WRITE, location, () -> {
                output.write(bytes, offset, count);
                return location;
            });
        }

        @Override
        public void flush() throws IOException {
            output.flush();
        }

        @Override
        public void close() throws IOException {
            requests.run(Request.CLOSE, location, () -> {
                output.close();
                return location;
            });
        }

        @Override
        public void abandon() throws IOException {
            output.abandon();
        }
    }
}
