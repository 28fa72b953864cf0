package dev.calve.catalog.warehouse;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/** A file system in memory whose publications, hints and deletions can be made to go wrong. */
final class MemoryDirectory implements Directory {

    /** What goes wrong with one publication. */
    enum Fault {
        NONE,
        /** The file is published, the answer is lost. */
        LOST_ANSWER,
        /** The request is lost. */
        LOST_REQUEST,
        /** The file is published, the answer is lost, and the repeated request finds the file. */
        REPEATED,
        /** Nothing is published, and that is known. */
        FAILED,
        /** An exception nobody expects. */
        SURPRISE
    }

    private final TreeMap<String, byte[]> files = new TreeMap<>();
    private final TreeSet<String> folders = new TreeSet<>();
    private final Deque<Fault> faults = new ArrayDeque<>();
    private Optional<String> whyNot = Optional.empty();
    private boolean replaceFails;
    private Optional<String> undeletable = Optional.empty();
    private Optional<byte[]> intruder = Optional.empty();
    private Optional<Runnable> beforePublication = Optional.empty();

    synchronized MemoryDirectory next(Fault fault) {
        faults.add(fault);
        return this;
    }

    synchronized void refuse(String why) {
        whyNot = Optional.of(why);
    }

    synchronized void failReplace(boolean fails) {
        replaceFails = fails;
    }

    synchronized void failDelete(String location) {
        undeletable = Optional.of(location);
    }

    /** Runs once, just before the next publication. */
    synchronized void beforePublication(Runnable interruption) {
        beforePublication = Optional.of(interruption);
    }

    /** Somebody publishes this content under the same name just before the next publication. */
    synchronized void intrude(byte[] content) {
        intruder = Optional.of(content);
    }

    synchronized void put(String location, byte[] content) {
        makeDirectories(location.substring(0, location.lastIndexOf('/')));
        files.put(location, content);
    }

    synchronized void put(String location, String content) {
        put(location, content.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    synchronized byte[] content(String location) {
        return read(location).orElseThrow();
    }

    synchronized String text(String location) {
        return new String(content(location), java.nio.charset.StandardCharsets.UTF_8);
    }

    synchronized void remove(String location) {
        files.remove(location);
    }

    synchronized List<String> locations() {
        return List.copyOf(files.keySet());
    }

    @Override
    public synchronized List<Entry> list(String location) {
        Map<String, Entry> result = new LinkedHashMap<>();
        String prefix = location + "/";
        for (String folder : folders) {
            if (folder.startsWith(prefix)) {
                String name = folder.substring(prefix.length()).split("/", -1)[0];
                result.put(name, new Entry(name, true));
            }
        }
        for (String file : files.keySet()) {
            if (file.startsWith(prefix) && file.indexOf('/', prefix.length()) < 0) {
                String name = file.substring(prefix.length());
                result.put(name, new Entry(name, false));
            }
        }
        return new ArrayList<>(result.values());
    }

    @Override
    public synchronized boolean isDirectory(String location) {
        return folders.contains(location);
    }

    @Override
    public synchronized boolean exists(String location) {
        return files.containsKey(location) || folders.contains(location);
    }

    @Override
    public synchronized Optional<byte[]> read(String location) {
        return Optional.ofNullable(files.get(location));
    }

    @Override
    public synchronized void makeDirectories(String location) {
        for (int at = location.length(); at > 0; at = location.lastIndexOf('/', at - 1)) {
            folders.add(location.substring(0, at));
        }
    }

    @Override
    public synchronized Optional<String> whyNotPublishable(String location) {
        return whyNot;
    }

    @Override
    public synchronized Publication publish(String location, byte[] content, UUID statement) {
        Optional<Runnable> interruption = beforePublication;
        beforePublication = Optional.empty();
        interruption.ifPresent(Runnable::run);
        intruder.ifPresent(other -> put(location, other));
        intruder = Optional.empty();
        Fault fault = faults.isEmpty() ? Fault.NONE : faults.remove();
        return switch (fault) {
            case NONE ->
                files.putIfAbsent(location, content) == null ? new Publication.Published() : new Publication.Taken();
            case LOST_ANSWER -> {
                files.putIfAbsent(location, content);
                yield new Publication.Unknown(new IOException("answer lost"));
            }
            case LOST_REQUEST -> new Publication.Unknown(new IOException("request lost"));
            case REPEATED -> {
                files.putIfAbsent(location, content);
                yield new Publication.Taken();
            }
            case FAILED -> new Publication.Failed(new IOException("disk full"));
            case SURPRISE -> throw new IllegalStateException("surprise");
        };
    }

    @Override
    public synchronized void replace(String location, byte[] content, UUID statement) throws IOException {
        if (replaceFails) {
            throw new IOException("cannot replace");
        }
        files.put(location, content);
    }

    @Override
    public synchronized void deleteFile(String location) throws IOException {
        if (undeletable.isPresent() && undeletable.get().equals(location)) {
            throw new IOException("cannot delete");
        }
        files.remove(location);
    }

    @Override
    public synchronized boolean deleteIfEmpty(String location) {
        if (!list(location).isEmpty()) {
            return false;
        }
        folders.remove(location);
        return true;
    }

    @Override
    public synchronized void deleteRecursively(String location) {
        files.keySet().removeIf(file -> file.startsWith(location + "/"));
        folders.removeIf(folder -> folder.equals(location) || folder.startsWith(location + "/"));
    }
}
