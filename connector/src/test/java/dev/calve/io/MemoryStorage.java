package dev.calve.io;

import dev.calve.io.RequestLog.Request;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A storage in memory. Like a local disk it shows a file from its creation on, empty; its bytes appear when it is closed
 * or abandoned. Requests are counted and can be made to fail: see {@link #requests()}.
 */
public final class MemoryStorage implements Storage {

    private final Map<String, byte[]> files = new ConcurrentHashMap<>();
    private final RequestLog requests = new RequestLog();

    public RequestLog requests() {
        return requests;
    }

    /** Locations of all files, sorted. Not a request. */
    public NavigableSet<String> locations() {
        return new TreeSet<>(files.keySet());
    }

    /** Content of a file, a copy. Not a request. */
    public byte[] bytes(String location) {
        return Optional.ofNullable(files.get(location))
                .orElseThrow(() -> new AssertionError("No file " + location + ", only " + locations()))
                .clone();
    }

    /** Puts or replaces a file. Not a request. */
    public MemoryStorage put(String location, byte[] content) {
        files.put(location, content.clone());
        return this;
    }

    @Override
    public InputFile input(String location) {
        return new Input(location, -1);
    }

    @Override
    public InputFile input(String location, long length) {
        return new Input(location, length);
    }

    @Override
    public PositionOutput create(String location) throws IOException {
        return requests.run(Request.CREATE, location, () -> {
            if (files.putIfAbsent(location, new byte[0]) != null) {
                throw new FileAlreadyExistsException(location);
            }
            return new Output(location);
        });
    }

    @Override
    public boolean exists(String location) throws IOException {
        return requests.run(Request.EXISTS, location, () -> files.containsKey(location));
    }

    @Override
    public void delete(String location) throws IOException {
        requests.run(Request.DELETE, location, () -> {
            files.remove(location);
            return location;
        });
    }

    private byte[] existing(String location) throws FileNotFoundException {
        var content = files.get(location);
        if (content == null) {
            throw new FileNotFoundException(location);
        }
        return content;
    }

    private final class Input implements InputFile {
        private final String location;
        private long length;

        Input(String location, long length) {
            this.location = location;
            this.length = length;
        }

        @Override
        public String location() {
            return location;
        }

        @Override
        public long length() throws IOException {
            if (length < 0) {
                length = requests.run(Request.LENGTH, location, () -> (long) existing(location).length);
            }
            return length;
        }

        @Override
        public RangeInput open() throws IOException {
            var content = requests.run(Request.OPEN, location, () -> existing(location));
            return new RangeInput() {
                @Override
                public void readFully(long position, byte[] target, int offset, int count) throws IOException {
                    requests.run(Request.READ, location, () -> {
                        if (position < 0 || position + count > content.length) {
                            throw new EOFException(
                                    location + " has " + content.length + " bytes, not " + (position + count));
                        }
                        System.arraycopy(content, (int) position, target, offset, count);
                        return target;
                    });
                }

                @Override
                public void close() {}
            };
        }
    }

    private final class Output extends PositionOutput {
        private final String location;
        private final ByteArrayOutputStream written = new ByteArrayOutputStream();
        private boolean open = true;

        Output(String location) {
            this.location = location;
        }

        @Override
        public long position() {
            return written.size();
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int count) throws IOException {
            if (!open) {
                throw new IOException(location + " is closed");
            }
            requests.run(Request.WRITE, location, () -> {
                written.write(bytes, offset, count);
                return written;
            });
        }

        @Override
        public void close() throws IOException {
            if (open) {
                open = false;
                try {
                    requests.run(Request.CLOSE, location, () -> {
                        show();
                        return location;
                    });
                } catch (IOException e) {
                    show();
                    throw e;
                }
            }
        }

        @Override
        public void abandon() {
            if (open) {
                open = false;
                show();
            }
        }

        private void show() {
            files.computeIfPresent(location, (name, before) -> written.toByteArray());
        }
    }
}
