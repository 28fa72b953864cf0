package dev.calve.spark.read;

import dev.calve.deletes.KeyTable;
import dev.calve.manifest.DeleteFile;
import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The keys of equality-delete files, shared by the tasks of one JVM: a file that many tasks need at the same time is read
 * once, and those who come later find it if there was room.
 *
 * <p>Heap: up to a bound the keys used last are held softly, so that they go before memory runs out; what a task is using is
 * found by other tasks, whatever its size, but not held for them. Files never change, so nothing grows stale. For several
 * threads; those who want a file that is just being read wait for it.
 */
final class KeyCache {

    /** A tenth of the heap. */
    static final KeyCache SHARED = new KeyCache(Runtime.getRuntime().maxMemory() / 10);

    private final long maxBytes;

    /** Every file whose keys may still be on the heap. */
    private final Map<Key, Entry> entries = new HashMap<>();

    /** Those held softly, the one used longest ago first. */
    private final Map<Key, Entry> held = new LinkedHashMap<>(16, 0.75f, true);

    private long heldBytes;

    /** The key fields are part of it, because two tables may call the same file's columns differently. */
    private record Key(String path, long fileSizeBytes, List<KeyFields.KeyField> fields) {}

    /** Its monitor is held while the file is read. */
    private static final class Entry {
        private volatile Reference<KeyTable> keys = new WeakReference<>(null);
        private long bytes;
    }

    /** Reads a file. */
    interface Loader {
        KeyTable load() throws IOException;
    }

    KeyCache(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** The keys of a file, not to be changed. */
    KeyTable get(DeleteFile.EqualityDeletes file, KeyFields fields, Loader loader) throws IOException {
        var key = new Key(file.path(), file.fileSizeBytes(), fields.fields());
        Entry entry = entry(key);
        synchronized (entry) {
            Optional<KeyTable> known = Optional.ofNullable(entry.keys.get());
            if (known.isPresent()) {
                return known.get();
            }
            boolean complete = false;
            try {
                KeyTable keys = loader.load();
                keep(key, entry, keys);
                complete = true;
                return keys;
            } finally {
                if (!complete) {
                    forget(key, entry);
                }
            }
        }
    }

    private synchronized Entry entry(Key key) {
        Entry used = held.get(key);
        return used != null ? used : entries.computeIfAbsent(key, absent -> new Entry());
    }

    private synchronized void keep(Key key, Entry entry, KeyTable keys) {
        forgetCleared();
        entry.bytes = keys.heapBytes();
        entries.put(key, entry);
        if (entry.bytes > maxBytes) {
            entry.keys = new WeakReference<>(keys);
            return;
        }
        entry.keys = new SoftReference<>(keys);
        Entry other = held.put(key, entry);
        heldBytes += entry.bytes - (other == null ? 0 : other.bytes);
        Iterator<Entry> eldest = held.values().iterator();
        while (heldBytes > maxBytes) {
            Entry old = eldest.next();
            eldest.remove();
            heldBytes -= old.bytes;
            KeyTable inUse = old.keys.get();
            if (inUse != null) {
                old.keys = new WeakReference<>(inUse);
            }
        }
    }

    private synchronized void forget(Key key, Entry entry) {
        entries.remove(key, entry);
    }

    /** Entries are few, and this happens once per file read. */
    private void forgetCleared() {
        held.values().removeIf(entry -> {
            boolean cleared = entry.keys.get() == null;
            heldBytes -= cleared ? entry.bytes : 0;
            return cleared;
        });
        entries.values().removeIf(entry -> entry.bytes > 0 && entry.keys.get() == null);
    }

    /** Bytes held softly. */
    synchronized long heldBytes() {
        return heldBytes;
    }
}
