package dev.calve.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.calve.partition.PartitionSpec;
import dev.calve.partition.PartitionTuple;
import dev.calve.schema.Type;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ContentFileTest {

    private final ManifestFixture fixture = new ManifestFixture();

    /** One Puffin file holds many vectors. Spec: Deletion Vectors. */
    @Test
    void isIdentifiedByItsPathAndAVectorByItsOffsetToo() {
        assertThat(fixture.data("a", 1).key()).isEqualTo(FileKey.of("a")).hasToString("a");
        assertThat(fixture.positions("p", Optional.empty()).key()).isEqualTo(FileKey.of("p"));
        assertThat(fixture.equality("e", 1).key()).isEqualTo(FileKey.of("e"));
        assertThat(fixture.vector("v", "a", 4).key())
                .isEqualTo(FileKey.of("v", 4))
                .isNotEqualTo(fixture.vector("v", "a", 5).key())
                .isNotEqualTo(FileKey.of("v"))
                .hasToString("v@4");
    }

    @Test
    void isScopedToADataFileOnlyIfItIsKnownToSpeakOfThatOneAlone() {
        var paths = Set.of("a", "b");

        assertThat(fixture.vector("v", "a", 4).isScopedToAny(paths)).isTrue();
        assertThat(fixture.vector("v", "c", 4).isScopedToAny(paths)).isFalse();
        assertThat(fixture.positions("p", Optional.of("b")).isScopedToAny(paths))
                .isTrue();
        assertThat(fixture.positions("p", Optional.of("c")).isScopedToAny(paths))
                .isFalse();
        assertThat(fixture.positions("p", Optional.empty()).isScopedToAny(paths))
                .isFalse();
        assertThat(fixture.equality("a", 1).isScopedToAny(paths)).isFalse();
    }

    @Test
    void travelsInOneStreamWithFilesOfOtherSpecs() throws IOException {
        ManifestFixture byText = ManifestFixture.partitionedBy(Type.Simple.STRING);
        var types = Map.of(
                PartitionSpec.unpartitioned(0).id(),
                fixture.spec.partitionType(fixture.schema),
                byText.spec.id(),
                byText.spec.partitionType(byText.schema));
        List<ContentFile> files = List.of(
                fixture.data("a", 1), byText.data("b", 2, "x"), fixture.vector("v", "a", 4), byText.data("c", 3, "ü"));
        var bytes = new ByteArrayOutputStream();
        var sender = new ContentFilesCodec(types::get);
        try (var out = new DataOutputStream(bytes)) {
            for (ContentFile file : files) {
                sender.write(file, out);
            }
        }

        var receiver = new ContentFilesCodec(types::get);
        var in = new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()));
        var read = new ArrayList<ContentFile>();
        for (int i = 0; i < files.size(); i++) {
            read.add(receiver.read(in));
        }

        assertThat(read).isEqualTo(files);
        assertThat(in.available()).isZero();
        assertThat(read.get(1).partition()).isEqualTo(PartitionTuple.of("x"));
    }
}
