package dev.calve.hadoop;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.Randomly;
import dev.calve.io.Storage;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.LocalFileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HadoopStorageTest {

    @TempDir
    Path folder;

    private final HadoopStorage storage = new HadoopStorage(RecordingFileSystem.configuration());

    // What holds on every file system: plain path, both spellings of a local URI, another file system.

    @ParameterizedTest
    @ValueSource(strings = {"", "file:", "file://", "rec:", "rec://"})
    void readsWhatItWrote(String scheme) throws IOException {
        var location = scheme + folder + "/new/folder/a b%20c ä=1.bin";

        write(location, "hello world");

        assertThat(storage.exists(location)).isTrue();
        assertThat(Files.readString(folder.resolve("new/folder/a b%20c ä=1.bin")))
                .isEqualTo("hello world");
        var input = storage.input(location);
        assertThat(input.location()).isEqualTo(location);
        assertThat(input.length()).isEqualTo(11);
        assertThat(input.readAll()).isEqualTo("hello world".getBytes(UTF_8));
        assertThat(input.read(4, 3)).isEqualTo("o w".getBytes(UTF_8));
        assertThat(storage.input(location, 11).readAll()).isEqualTo("hello world".getBytes(UTF_8));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "file:", "rec:"})
    void neverReplacesAFile(String scheme) throws IOException {
        var location = scheme + folder + "/a";
        write(location, "first");

        assertThatThrownBy(() -> storage.create(location))
                .isInstanceOf(FileAlreadyExistsException.class)
                .hasMessage(location);
        assertThat(Files.readString(folder.resolve("a"))).isEqualTo("first");
        assertThatThrownBy(() -> storage.create(scheme + folder)).isInstanceOf(FileAlreadyExistsException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"file:", "rec:"})
    void saysThatAFileIsMissing(String scheme) throws IOException {
        var location = scheme + folder + "/missing";

        assertThat(storage.exists(location)).isFalse();
        assertThatThrownBy(() -> storage.input(location).length()).isInstanceOf(FileNotFoundException.class);
        assertThatThrownBy(() -> storage.input(location).open().close()).isInstanceOf(FileNotFoundException.class);
        assertThatThrownBy(() -> storage.input(location, 5).readAll()).isInstanceOf(FileNotFoundException.class);
        assertThatThrownBy(() -> storage.input(scheme + folder).length()).isInstanceOf(FileNotFoundException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"file:", "rec:"})
    void refusesToReadBehindTheEnd(String scheme) throws IOException {
        var location = scheme + folder + "/a";
        write(location, "hello");

        assertThatThrownBy(() -> storage.input(location).read(3, 3)).isInstanceOf(EOFException.class);
        assertThatThrownBy(() -> storage.input(location, 9).readAll()).isInstanceOf(EOFException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"file:", "rec:"})
    void deletesAFileOnceOrTwice(String scheme) throws IOException {
        var location = scheme + folder + "/a";
        write(location, "hello");

        storage.delete(location);
        storage.delete(location);

        assertThat(folder).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(strings = {"file:", "rec:"})
    void countsAndKeepsBytesForAnySizesOfWrites(String scheme) {
        Randomly.check(2, random -> {
            var location = scheme + folder + "/" + random.anyLong();
            var expected = new ByteArrayOutputStream();
            try (var out = storage.create(location)) {
                for (int i = 0; i < 12; i++) {
                    var bytes = random.bytes(random.oneOf(0, 1, 100, 65_535, 65_536, 65_537, 70_000, 1_100_000));
                    if (bytes.length == 1) {
                        out.write(bytes[0]);
                    } else {
                        out.write(bytes);
                    }
                    expected.writeBytes(bytes);
                    if (random.percent(20)) {
                        out.flush();
                    }
                    assertThat(out.position()).isEqualTo(expected.size());
                }
            }
            var written = storage.input(location).readAll();
            assertThat(Arrays.equals(written, expected.toByteArray())).isTrue();

            try (var in = storage.input(location).open()) {
                int from = random.intBelow(written.length + 1);
                int length = random.intBelow(written.length - from + 1);
                var target = new byte[length + 7];
                in.readFully(from, target, 7, length);
                assertThat(Arrays.equals(target, 7, 7 + length, written, from, from + length))
                        .isTrue();
            }
        });
    }

    @Test
    void makesTheSpellingsOfALocationTheSame() {
        var local = new HadoopStorage(new Configuration(false));
        assertThat(local.qualify("/wh/t/")).isEqualTo("file:/wh/t");
        assertThat(local.qualify("file:///wh/t")).isEqualTo("file:/wh/t");
        assertThat(local.qualify("s3a://b/wh")).isEqualTo("s3a://b/wh");
        var cluster = new Configuration(false);
        cluster.set("fs.defaultFS", "hdfs://nn:8020");
        assertThat(new HadoopStorage(cluster).qualify("/wh/t")).isEqualTo("hdfs://nn:8020/wh/t");
    }

    @Test
    void refusesLocationsThatAreNotAbsolute() {
        for (String location : List.of("a", "./a", "a/b")) {
            assertThatThrownBy(() -> storage.input(location))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("not '" + location + "'");
        }
        assertThatThrownBy(() -> storage.input("file://a/b"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has 'a'");
    }

    @Test
    void resolvesPlainPathsAgainstTheDefaultFileSystem() throws IOException {
        var configuration = RecordingFileSystem.configuration();
        configuration.set("fs.defaultFS", "rec:///");
        var other = new HadoopStorage(configuration);

        write(other, folder + "/a", "x");

        assertThat(RecordingFileSystem.CALLS).contains("create " + folder + "/a");
    }

    // Local disks.

    @Test
    void startsNoProcessForALocalFile() throws IOException {
        assertThat(processesStartedBy(() -> {
                    write("file:" + folder + "/ours", "x");
                    write(folder + "/new/ours", "x");
                }))
                .isZero();

        // The same measurement sees what Hadoop's own local file system does.
        var hadoop = new org.apache.hadoop.fs.Path("file:" + folder + "/theirs");
        assertThat(processesStartedBy(() -> {
                    try (var local = new LocalFileSystem()) {
                        local.initialize(hadoop.toUri(), new Configuration());
                        local.create(hadoop, false).close();
                    }
                }))
                .isPositive();
    }

    @Test
    void leavesNoChecksumFile() throws IOException {
        write("file:" + folder + "/a", "x");

        assertThat(folder.toFile().list()).containsExactly("a");
    }

    @Test
    void letsHadoopReadAFileWhosePredecessorHadAChecksum() throws IOException {
        var location = "file:" + folder + "/a";
        var path = new org.apache.hadoop.fs.Path(location);
        try (var hadoop = new LocalFileSystem()) {
            hadoop.initialize(path.toUri(), new Configuration());
            try (var out = hadoop.create(path, false)) {
                out.writeUTF("from hadoop");
            }
            assertThat(folder.resolve(".a.crc")).exists();
            Files.delete(folder.resolve("a"));

            write(location, "ours");

            try (var in = hadoop.open(path)) {
                assertThat(in.readAllBytes()).isEqualTo("ours".getBytes(UTF_8));
            }
        }
    }

    @Test
    void deletesAFileWithItsChecksum() throws IOException {
        Files.writeString(folder.resolve("a"), "x");
        Files.writeString(folder.resolve(".a.crc"), "x");

        storage.delete("file:" + folder + "/a");

        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void deletesNoFolder() throws IOException {
        Files.createDirectory(folder.resolve("sub"));

        assertThatThrownBy(() -> storage.delete("file:" + folder + "/sub"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is a folder");
        assertThat(folder.resolve("sub")).exists();
    }

    @Test
    void doesNotCallAnExistingParentAnExistingFile() throws IOException {
        Files.writeString(folder.resolve("file"), "x");

        assertThatThrownBy(() -> storage.create("file:" + folder + "/file/sub/a"))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(FileAlreadyExistsException.class);
    }

    @Test
    void leavesLocalFilesToAFileSystemThatWasChosen() throws IOException {
        var configuration = RecordingFileSystem.configuration();
        configuration.set("fs.file.impl", RecordingFileSystem.class.getName());
        configuration.setBoolean("fs.file.impl.disable.cache", true);
        var other = new HadoopStorage(configuration);

        assertThatThrownBy(() -> other.create("file:" + folder + "/a")).hasMessageContaining("Wrong FS");
        assertThat(folder).isEmptyDirectory();
    }

    // Other file systems.

    @Test
    void asksForNoStatusWhenTheLengthIsKnown() throws IOException {
        Files.writeString(folder.resolve("a"), "hello");
        var location = "rec:" + folder + "/a";

        assertThat(storage.input(location, 5).readAll()).isEqualTo("hello".getBytes(UTF_8));
        assertThat(RecordingFileSystem.CALLS).containsExactly("open " + location);

        RecordingFileSystem.CALLS.clear();
        storage.input(location).readAll();
        assertThat(RecordingFileSystem.CALLS).containsExactly("status " + location, "open " + location);
    }

    @Test
    void abortsAnAbandonedFile() throws IOException {
        var out = storage.create("rec:" + folder + "/a");
        out.write(1);

        out.abandon();
        out.close();

        assertThat(RecordingFileSystem.CALLS).contains("abort").doesNotContain("close");
        assertThatThrownBy(() -> out.write(1)).isInstanceOf(IOException.class).hasMessageContaining("is closed");
    }

    @Test
    void abortsAFileThatCannotBeWrittenCompletely() throws IOException {
        var out = storage.create("rec:" + folder + "/a");
        out.write(1);
        RecordingFileSystem.full = true;

        assertThatThrownBy(out::close).isInstanceOf(IOException.class).hasMessage("No space left on device");
        assertThat(RecordingFileSystem.CALLS).contains("abort").doesNotContain("close");
    }

    @Test
    void doesNotCompleteAFileAfterAFailedWrite() throws IOException {
        var out = storage.create("rec:" + folder + "/a");
        RecordingFileSystem.full = true;
        assertThatThrownBy(() -> out.write(new byte[100_000])).hasMessage("No space left on device");
        RecordingFileSystem.full = false;

        assertThatThrownBy(out::close).isInstanceOf(IOException.class).hasMessageContaining("an earlier write failed");
        assertThat(RecordingFileSystem.CALLS).contains("abort").doesNotContain("close");
    }

    @Test
    void namesASchemeThatNobodyServes() {
        assertThatThrownBy(() -> storage.input("nobody://h/a").open().close())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("nobody");
    }

    // From the driver to executors.

    @Test
    void carriesItsConfigurationToExecutors() throws IOException {
        var configuration = RecordingFileSystem.configuration();
        configuration.set("some.key", "värde ${user.name}");
        configuration.set("long", "x".repeat(100_000));
        configuration.unset("io.file.buffer.size");

        var rebuilt = HadoopStorage.fromBytes(new HadoopStorage(configuration).toBytes());

        assertThat(rebuilt.configuration().getRaw("some.key")).isEqualTo("värde ${user.name}");
        assertThat(rebuilt.configuration().get("some.key")).isEqualTo("värde " + System.getProperty("user.name"));
        assertThat(rebuilt.configuration().get("long")).hasSize(100_000);
        assertThat(rebuilt.configuration().get("io.file.buffer.size")).isNull();
        assertThat(rebuilt.configuration()).containsExactlyInAnyOrderElementsOf(configuration);
        write(rebuilt, "rec:" + folder + "/a", "x");
        assertThat(folder.resolve("a")).hasContent("x");
    }

    @Test
    void isRebuiltOncePerJvm() {
        var configuration = RecordingFileSystem.configuration();
        configuration.set("some.key", "once");
        byte[] bytes = new HadoopStorage(configuration).toBytes();
        byte[] again = new HadoopStorage(new Configuration(configuration)).toBytes();
        configuration.set("some.key", "other");

        assertThat(again).isEqualTo(bytes).hasSizeLessThan(60_000);
        assertThat(HadoopStorage.fromBytes(again)).isSameAs(HadoopStorage.fromBytes(bytes));
        assertThat(HadoopStorage.fromBytes(new HadoopStorage(configuration).toBytes()))
                .isNotSameAs(HadoopStorage.fromBytes(bytes));
    }

    @Test
    void keepsItsConfigurationWhenTheCallersChanges() {
        var configuration = RecordingFileSystem.configuration();
        var own = new HadoopStorage(configuration);
        configuration.set("some.key", "later");

        assertThat(own.configuration().get("some.key")).isNull();
    }

    @Test
    void refusesOtherBytes() {
        byte[] bytes = storage.toBytes();
        assertThatThrownBy(() -> HadoopStorage.fromBytes(new byte[] {1, 2, 3}))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> HadoopStorage.fromBytes(Arrays.copyOf(bytes, bytes.length / 2)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private interface Work {
        void run() throws IOException;
    }

    private long processesStartedBy(Work work) throws IOException {
        var file = Files.createTempFile("calve", ".jfr");
        try (var recording = new Recording()) {
            recording.enable("jdk.ProcessStart");
            recording.start();
            work.run();
            recording.stop();
            recording.dump(file);
            return RecordingFile.readAllEvents(file).stream()
                    .filter(event -> event.getEventType().getName().equals("jdk.ProcessStart"))
                    .count();
        } finally {
            Files.delete(file);
        }
    }

    private void write(String location, String text) throws IOException {
        write(storage, location, text);
    }

    private static void write(Storage storage, String location, String text) throws IOException {
        try (var out = storage.create(location)) {
            out.write(text.getBytes(UTF_8));
        }
    }
}
