package dev.calve.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ManifestFileTest {

    /** Counts of added and existing files; empty where a writer of version 1 did not say. */
    @ParameterizedTest
    @CsvSource({
        "0, 0, false",
        "1, 0, true",
        "0, 1, true",
        "2, 3, true",
        "0,  , true",
        " , 0, true",
        " ,  , true",
    })
    void mayHaveLiveFilesUnlessItsCountsSayThatThereAreNone(
            @Nullable Long added, @Nullable Long existing, boolean expected) {
        var counts = new ManifestFile.Counts(
                count(added),
                count(existing),
                OptionalLong.of(9),
                OptionalLong.of(9),
                OptionalLong.of(9),
                OptionalLong.of(9));
        var manifest = new ManifestFile(
                "m",
                1,
                0,
                ManifestFile.Content.DATA,
                1,
                1,
                1,
                counts,
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty());

        assertThat(manifest.mayHaveLiveFiles()).isEqualTo(expected);
    }

    private static OptionalLong count(@Nullable Long number) {
        return number == null ? OptionalLong.empty() : OptionalLong.of(number);
    }
}
