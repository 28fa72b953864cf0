package dev.calve.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.calve.io.InvalidTableException;
import dev.calve.schema.Type;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ParquetFooterTest {

    private final ParquetFiles files = new ParquetFiles();

    @Test
    void saysWhatIsInTheFile() throws IOException {
        files.writeColumn(Type.Simple.INT, 5, null, 7);

        assertThat(String.join("\n", ParquetFooter.describe(files.storage.input("f0"))))
                .contains("optional int32 c = 1;")
                .contains("row group 0: 3 rows at 4,")
                .contains("  c: INT32, ZSTD [")
                .contains("3 values, ")
                .contains("1 nulls, 5 to 7");
    }

    @Test
    void refusesWhatIsNotParquet() {
        files.storage.put("x", new byte[100]);

        assertThatThrownBy(() -> ParquetFooter.describe(files.storage.input("x")))
                .isInstanceOf(InvalidTableException.class)
                .hasMessageContaining("File x");
    }
}
