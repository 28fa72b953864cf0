package dev.calve.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.metadata.TableProperties.DistributionMode;
import dev.calve.metadata.TableProperties.RowLevelMode;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TablePropertiesTest {

    private static TableProperties of(String... pairs) {
        var properties = new java.util.HashMap<String, String>();
        for (int i = 0; i < pairs.length; i += 2) {
            properties.put(pairs[i], pairs[i + 1]);
        }
        return TableProperties.of(properties, "db.orders");
    }

    @Test
    void saysWhatAPropertyMayBe() {
        assertThatThrownBy(() -> of("write.delete.mode", "mor").get(TableProperties.DELETE_MODE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "write.delete.mode must be 'copy-on-write', 'merge-on-read' or 'adaptive', not 'mor' (table db.orders).");
    }

    @ParameterizedTest
    @CsvSource({
        "format-version,2",
        "write.delete.mode,copy-on-write",
        "write.delete.isolation-level,serializable",
        "write.delete.granularity,file",
        "write.target-file-size-bytes,536870912",
        "write.delete.target-file-size-bytes,67108864",
        "write.parquet.page-size-bytes,1048576",
        "write.parquet.page-row-limit,20000",
        "write.parquet.dict-size-bytes,2097152",
        "write.parquet.page-version,v1",
        "write.parquet.compression-codec,zstd",
        "write.metadata.compression-codec,none",
        "write.metadata.previous-versions-max,100",
        "write.metadata.metrics.max-inferred-column-defaults,100",
        "commit.retry.min-wait-ms,100",
        "commit.retry.max-wait-ms,60000",
        "commit.retry.total-timeout-ms,1800000",
        "commit.manifest.target-size-bytes,8388608",
        "commit.manifest.min-count-to-merge,100",
        "commit.manifest-merge.enabled,true",
        "write.summary.partition-limit,0",
        "read.split.target-size,134217728",
        "read.split.metadata-target-size,33554432",
        "read.split.open-file-cost,4194304",
        "read.split.planning-lookback,10",
        "gc.enabled,true",
        "history.expire.max-snapshot-age-ms,432000000",
        "history.expire.max-ref-age-ms,9223372036854775807"
    })
    void hasTheDefaultsOfTheFormat(String name, String text) {
        var property = TableProperties.all().stream()
                .filter(candidate -> candidate.name().equals(name))
                .findFirst()
                .orElseThrow();
        assertThat(property.defaultText()).isEqualTo(text);
    }

    @Test
    void readsValuesOfEveryKind() {
        var properties = of(
                "write.delete.mode", "Merge-On-Read",
                "commit.retry.min-wait-ms", "250",
                "commit.retry.num-retries", "7",
                "write.distribution-mode", "range",
                "gc.enabled", "FALSE",
                "write.metadata.metrics.default", "truncate(32)",
                "write.data.path", "s3a://b/d");

        assertThat(properties.get(TableProperties.DELETE_MODE)).isEqualTo(RowLevelMode.MERGE_ON_READ);
        assertThat(properties.get(TableProperties.COMMIT_MIN_WAIT)).isEqualTo(Duration.ofMillis(250));
        assertThat(properties.get(TableProperties.COMMIT_NUM_RETRIES)).contains(7);
        assertThat(properties.get(TableProperties.DISTRIBUTION_MODE)).contains(DistributionMode.RANGE);
        assertThat(properties.get(TableProperties.GC)).isFalse();
        assertThat(properties.get(TableProperties.METRICS_DEFAULT)).contains(new MetricsMode.Truncate(32));
        assertThat(properties.get(TableProperties.DATA_PATH)).contains("s3a://b/d");
        assertThat(properties.get(TableProperties.MERGE_DISTRIBUTION_MODE)).isEqualTo(Optional.empty());
    }

    @ParameterizedTest
    @CsvSource({
        "format-version,4",
        "format-version,0",
        "write.format.default,orc",
        "write.target-file-size-bytes,0",
        "write.target-file-size-bytes,512MB",
        "commit.retry.num-retries,-1",
        "commit.retry.min-wait-ms,-5",
        "gc.enabled,yes",
        "write.parquet.page-size-bytes,4294967296",
        "write.parquet.compression-level,high",
        "write.metadata.metrics.default,truncate",
        "write.metadata.metrics.column.a.b,some",
        "write.metadata.previous-versions-max,0"
    })
    void namesTheBadValueWhenAllAreChecked(String name, String value) {
        assertThatThrownBy(() -> of(name, value).checkValues())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(name + " must be ")
                .hasMessageEndingWith(", not '" + value + "' (table db.orders).");
    }

    @Test
    void leavesUnknownKeysAlone() {
        assertThatCode(() -> {
                    of("write.something.else", "17", "owner", "me").checkValues();
                    of("write.something.else", "17", "owner", "me").checkWritable();
                })
                .doesNotThrowAnyException();
    }

    @Test
    void findsColumnsByPrefix() {
        var properties = of(
                "write.metadata.metrics.column.a.b", "full",
                "write.metadata.metrics.column.c", "none",
                "write.metadata.metrics.default", "counts");
        assertThat(properties.withPrefix(TableProperties.METRICS_COLUMN))
                .isEqualTo(Map.of("a.b", new MetricsMode.Full(), "c", new MetricsMode.None()));
    }

    @Test
    void deleteFilesHaveTheirOwnParquetSettingsOrTheTables() {
        var properties = of(
                "write.parquet.compression-codec", "snappy",
                "write.parquet.page-row-limit", "10",
                "write.delete.parquet.compression-codec", "gzip");
        assertThat(properties.getForDeletes(TableProperties.PARQUET_COMPRESSION))
                .isEqualTo(TableProperties.ParquetCompression.GZIP);
        assertThat(properties.getForDeletes(TableProperties.PARQUET_PAGE_ROW_LIMIT))
                .isEqualTo(10);
    }

    @ParameterizedTest
    @CsvSource({
        "write.location-provider.impl,org.example.Provider",
        "write.object-storage.path,s3a://b/x",
        "write.folder-storage.path,s3a://b/x"
    })
    void refusesToWriteWhereAPropertyWouldHaveToBeIgnored(String name, String value) {
        assertThatThrownBy(() -> of(name, value).checkWritable())
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining(name)
                .hasMessageContaining("db.orders");
    }

    @Test
    void namesAreUniqueAndDocumented() {
        assertThat(TableProperties.all())
                .extracting(TableProperties.Property::name)
                .doesNotHaveDuplicates();
        assertThat(TableProperties.all())
                .allSatisfy(property -> assertThat(property.doc()).endsWith("."));
    }
}
