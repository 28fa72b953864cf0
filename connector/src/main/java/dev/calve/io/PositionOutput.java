package dev.calve.io;

import java.io.IOException;
import java.io.OutputStream;

/** An output stream that knows how many bytes were written. The file is complete only after {@link #close()}. */
public abstract class PositionOutput extends OutputStream {

    /** Bytes written so far. */
    public abstract long position();

    /** Closes without promising that the file is complete or exists; used when writing failed. Deletes nothing. */
    public void abandon() throws IOException {
        close();
    }
}
