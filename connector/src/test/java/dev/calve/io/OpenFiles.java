package dev.calve.io;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Passes everything on to another storage and knows what was opened or created there and not closed or abandoned. */
public final class OpenFiles implements Storage {

    private final Storage target;
    private final List<String> open = new ArrayList<>();

    public OpenFiles(Storage target) {
        this.target = target;
    }

    /** Locations of what is open, in the order it was opened. */
    public synchronized List<String> open() {
        return List.copyOf(open);
    }

    private synchronized void opened(String location) {
        open.add(location);
    }

    private synchronized void closed(String location) {
        open.remove(location);
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
        PositionOutput output = target.create(location);
        opened(location);
        return new Output(location, output);
    }

    @Override
    public boolean exists(String location) throws IOException {
        return target.exists(location);
    }

    @Override
    public void delete(String location) throws IOException {
        target.delete(location);
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
            return input.length();
        }

        @Override
        public RangeInput open() throws IOException {
            RangeInput range = input.open();
            opened(location());
            return new RangeInput() {
                @Override
                public void readFully(long position, byte[] bytes, int offset, int count) throws IOException {
                    range.readFully(position, bytes, offset, count);
                }

                @Override
                public void close() throws IOException {
                    closed(location());
                    range.close();
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
            output.write(value);
        }

        @Override
        public void write(byte[] bytes, int offset, int count) throws IOException {
            output.write(bytes, offset, count);
        }

        @Override
        public void close() throws IOException {
            closed(location);
            output.close();
        }

        @Override
        public void abandon() throws IOException {
            closed(location);
            output.abandon();
        }
    }
}
