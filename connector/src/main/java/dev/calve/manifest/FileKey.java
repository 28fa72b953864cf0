package dev.calve.manifest;

import java.util.OptionalLong;

/**
 * Identity of a live file: its path and, for a deletion vector, where in the file it starts. One Puffin file holds many
 * vectors, so a path alone is not an identity.
 */
public record FileKey(String path, OptionalLong contentOffset) {

    public static FileKey of(String path) {
        return new FileKey(path, OptionalLong.empty());
    }

    public static FileKey of(String path, long contentOffset) {
        return new FileKey(path, OptionalLong.of(contentOffset));
    }

    @Override
    public String toString() {
        return contentOffset.isPresent() ? path + "@" + contentOffset.getAsLong() : path;
    }
}
