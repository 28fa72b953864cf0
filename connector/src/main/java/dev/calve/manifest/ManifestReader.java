package dev.calve.manifest;

import dev.calve.io.InputFile;
import dev.calve.io.InvalidTableException;
import dev.calve.io.Storage;
import dev.calve.schema.MetadataFields;
import dev.calve.schema.Type;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Reads one manifest, each entry with everything inherited filled in. Spec: Manifests; Sequence Number Inheritance; First
 * Row ID Inheritance.
 *
 * <p>Costs one ranged read for manifests up to 8 MiB. Missing files are {@link java.io.FileNotFoundException}, damaged
 * and encrypted ones {@link InvalidTableException} that names the manifest.
 */
public final class ManifestReader implements Closeable {

    /** Takes entries in the order of the manifest. */
    @FunctionalInterface
    public interface Visitor<F extends ContentFile> {

        /** Tells whether to go on with the next entry. */
        boolean visit(ManifestEntry<F> entry) throws IOException;
    }

    /** Says that {@code fixed} values follow Avro's rules. */
    private static final String FIXED_ENCODING = "iceberg.avro.fixed-encoding";

    private final ManifestFile manifest;
    private final Selection selection;
    private final AvroInput<Draft> file;
    private final boolean prefixedFixed;
    private boolean hasPlainFixed;
    private @Nullable ManifestHeader header;
    private long nextRowId;

    /** Reads all entries of a manifest of data files. */
    public static List<ManifestEntry<DataFile>> readData(Storage storage, ManifestFile manifest) throws IOException {
        return readData(storage, manifest, Selection.all());
    }

    public static List<ManifestEntry<DataFile>> readData(Storage storage, ManifestFile manifest, Selection selection)
            throws IOException {
        var entries = new ArrayList<ManifestEntry<DataFile>>();
        forEachData(storage, manifest, selection, entries::add);
        return entries;
    }

    /** Reads all entries of a manifest of delete files. */
    public static List<ManifestEntry<DeleteFile>> readDeletes(Storage storage, ManifestFile manifest)
            throws IOException {
        return readDeletes(storage, manifest, Selection.all());
    }

    public static List<ManifestEntry<DeleteFile>> readDeletes(
            Storage storage, ManifestFile manifest, Selection selection) throws IOException {
        var entries = new ArrayList<ManifestEntry<DeleteFile>>();
        forEachDelete(storage, manifest, selection, entries::add);
        return entries;
    }

    /** Streams the selected entries of a manifest of data files until the visitor has enough. */
    public static void forEachData(
            Storage storage, ManifestFile manifest, Selection selection, Visitor<DataFile> visitor) throws IOException {
        try (var reader = open(storage, manifest, selection)) {
            reader.forEach(DataFile.class, visitor);
        }
    }

    /** Streams the selected entries of a manifest of delete files until the visitor has enough. */
    public static void forEachDelete(
            Storage storage, ManifestFile manifest, Selection selection, Visitor<DeleteFile> visitor)
            throws IOException {
        try (var reader = open(storage, manifest, selection)) {
            reader.forEach(DeleteFile.class, visitor);
        }
    }

    /** Opens a manifest and reads its header. */
    public static ManifestReader open(Storage storage, ManifestFile manifest, Selection selection) throws IOException {
        if (manifest.keyMetadata().filter(key -> key.length() > 0).isPresent()) {
            throw new InvalidTableException("Manifest '" + manifest.path() + "' is encrypted, which is not supported.");
        }
        InputFile input = storage.input(manifest.path(), manifest.length());
        var reader = new ManifestReader(input, manifest, selection, false);
        if (!reader.hasPlainFixed || reader.file.metadata(FIXED_ENCODING).isPresent()) {
            return reader;
        }
        reader.close();
        return new ManifestReader(input, manifest, selection, isMisread(input, manifest));
    }

    /**
     * Whether partition values of type {@code fixed} are stored with a length before them. Apache Iceberg 1.8 to 1.12
     * writes them so, which is not Avro, and says nothing of it in the file. Reading every entry by the rules tells: the
     * blocks of such a file do not end where their last record does.
     */
    private static boolean isMisread(InputFile input, ManifestFile manifest) throws IOException {
        try (var trial = new ManifestReader(input, manifest, Selection.all().withStatisticsOf(Set.of()), false)) {
            while (trial.file.hasNext()) {
                trial.file.next();
            }
            return false;
        } catch (InvalidTableException e) {
            return true;
        }
    }

    private ManifestReader(InputFile input, ManifestFile manifest, Selection selection, boolean prefixedFixed)
            throws IOException {
        this.prefixedFixed = prefixedFixed;
        this.manifest = manifest;
        this.selection = selection;
        this.nextRowId = manifest.firstRowId().orElse(0);
        this.file = AvroInput.open("Manifest", input, this::compile);
    }

    private AvroInput.Records<Draft> compile(AvroInput<Draft> opened) {
        ManifestHeader read = ManifestHeader.of(opened);
        header = read;
        Schema record = opened.schema();
        RecordPlan.require(record, ManifestSchemas.STATUS, ManifestSchemas.DATA_FILE);
        Schema fileSchema = record.getFields().stream()
                .filter(field -> RecordPlan.fieldId(field) == ManifestSchemas.DATA_FILE)
                .findFirst()
                .orElseThrow()
                .schema();
        var files = new ContentFileReader(
                RecordPlan.notNull(fileSchema),
                selection.partitionType().orElse(read.partitionType()),
                selection.partitions(),
                statistics(read),
                selection.asWritten(),
                prefixedFixed);
        hasPlainFixed = hasPlainFixed(RecordPlan.notNull(fileSchema));
        RecordPlan<Draft> plan = RecordPlan.of(record, field -> step(field, files));
        return in -> {
            var draft = new Draft();
            plan.read(draft, in);
            return draft;
        };
    }

    private static boolean hasPlainFixed(Schema fileSchema) {
        return fileSchema.getFields().stream()
                .filter(field -> RecordPlan.fieldId(field) == ManifestSchemas.PARTITION)
                .flatMap(field -> RecordPlan.notNull(field.schema()).getFields().stream())
                .anyMatch(field -> AvroValues.isPlainFixed(field.schema()));
    }

    /** The bounds of {@code file_path} say which data file a position delete file speaks of, so they are always read. */
    private Optional<Set<Integer>> statistics(ManifestHeader read) {
        if (read.content() == ManifestFile.Content.DATA) {
            return selection.statisticsOf();
        }
        return selection.statisticsOf().map(ids -> {
            var all = new HashSet<>(ids);
            all.add(MetadataFields.DELETE_FILE_PATH.id());
            return all;
        });
    }

    private static RecordPlan.@Nullable Step<Draft> step(Schema.Field field, ContentFileReader files) {
        Schema written = field.schema();
        switch (RecordPlan.fieldId(field)) {
            case ManifestSchemas.STATUS -> {
                AvroValues.Reader reader = AvroValues.reader(written, Type.Simple.INT);
                return (draft, in) -> draft.status = status(reader.read(in));
            }
            case ManifestSchemas.SNAPSHOT_ID -> {
                AvroValues.Reader reader = AvroValues.reader(written, Type.Simple.LONG);
                return (draft, in) -> draft.snapshotId = (Long) reader.read(in);
            }
            case ManifestSchemas.SEQUENCE_NUMBER -> {
                AvroValues.Reader reader = AvroValues.reader(written, Type.Simple.LONG);
                return (draft, in) -> draft.sequenceNumber = (Long) reader.read(in);
            }
            case ManifestSchemas.FILE_SEQUENCE_NUMBER -> {
                AvroValues.Reader reader = AvroValues.reader(written, Type.Simple.LONG);
                return (draft, in) -> draft.fileSequenceNumber = (Long) reader.read(in);
            }
            case ManifestSchemas.DATA_FILE -> {
                AvroValues.Reader reader = AvroValues.throughUnion(written, record -> files::read);
                return (draft, in) -> draft.file = (ContentFileReader.Draft) reader.read(in);
            }
            default -> {
                return null;
            }
        }
    }

    private static ManifestEntry.Status status(@Nullable Object number) {
        if (number instanceof Integer code) {
            return ManifestEntry.Status.of(code);
        }
        throw new InvalidTableException("An entry must have a status.");
    }

    /** What the manifest says of itself. */
    public ManifestHeader header() {
        if (header == null) {
            throw new IllegalStateException("Manifest '" + manifest.path() + "' has no header yet.");
        }
        return header;
    }

    /**
     * Streams the selected entries until the visitor has enough; called again, goes on behind the last one visited.
     *
     * @throws IllegalArgumentException if the manifest holds the other kind of files
     */
    public <F extends ContentFile> void forEach(Class<F> kind, Visitor<F> visitor) throws IOException {
        boolean data = header().content() == ManifestFile.Content.DATA;
        if (data != (kind == DataFile.class)) {
            throw new IllegalArgumentException("Manifest '" + manifest.path() + "' must be read as what it holds, "
                    + header().content() + ", not as " + kind.getSimpleName() + ".");
        }
        while (file.hasNext()) {
            Draft draft = file.next();
            ManifestEntry<F> entry;
            try {
                entry = complete(draft, kind);
            } catch (RuntimeException e) {
                throw file.corrupt(e);
            }
            if (entry != null && !visitor.visit(entry)) {
                return;
            }
        }
    }

    private <F extends ContentFile> @Nullable ManifestEntry<F> complete(Draft draft, Class<F> kind) {
        ManifestEntry.Status status = draft.status;
        ContentFileReader.Draft record = draft.file;
        if (status == null || record == null) {
            throw new InvalidTableException("An entry must have a status and a data_file.");
        }
        boolean live = status != ManifestEntry.Status.DELETED;
        OptionalLong firstRowId = firstRowId(record, live);
        if (record.unwanted() || (!live && selection.liveOnly())) {
            return null;
        }
        if (live && record.isEncrypted()) {
            throw new InvalidTableException("File '" + record.path() + "' is encrypted, which is not supported.");
        }
        ContentFile built = record.build(manifest.specId(), firstRowId);
        if (!kind.isInstance(built)) {
            throw new InvalidTableException("A manifest of " + header().content() + " must not hold '" + built.path()
                    + "', a " + built.getClass().getSimpleName() + ".");
        }
        return new ManifestEntry<>(
                status,
                draft.snapshotId != null ? draft.snapshotId : manifest.addedSnapshotId(),
                inherit(draft.sequenceNumber, status, "sequence_number", built),
                inherit(draft.fileSequenceNumber, status, "file_sequence_number", built),
                kind.cast(built));
    }

    private long inherit(@Nullable Long written, ManifestEntry.Status status, String field, ContentFile of) {
        if (written != null) {
            return written;
        }
        if (status == ManifestEntry.Status.ADDED || manifest.sequenceNumber() == 0) {
            return manifest.sequenceNumber();
        }
        if (header().formatVersion() == 1 && manifest.sequenceNumber() == ManifestFile.UNASSIGNED) {
            return 0;
        }
        if (status == ManifestEntry.Status.EXISTING) {
            throw new InvalidTableException("An EXISTING entry must have its " + field + ", but that of '" + of.path()
                    + "' has none and the manifest's is " + manifest.sequenceNumber() + ".");
        }
        return ManifestEntry.UNKNOWN_SEQUENCE_NUMBER;
    }

    /** Gives ids to live files without one, in order; every such file uses up its share, wanted or not. */
    private OptionalLong firstRowId(ContentFileReader.Draft record, boolean live) {
        if (manifest.firstRowId().isEmpty()) {
            // A list without an id for the manifest is from before version 3, or of a manifest nobody committed yet.
            return manifest.sequenceNumber() == ManifestFile.UNASSIGNED ? record.firstRowId() : OptionalLong.empty();
        }
        if (record.firstRowId().isPresent() || !live) {
            return record.firstRowId();
        }
        long assigned = nextRowId;
        nextRowId = Math.addExact(nextRowId, record.recordCount());
        return OptionalLong.of(assigned);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    /**
     * Describes a manifest that no list describes, as snapshots of version 1 name theirs, by reading all of it.
     *
     * @param fallbackSnapshotId the snapshot to credit if no entry was ADDED
     */
    public static ManifestFile describe(Storage storage, String location, long fallbackSnapshotId) throws IOException {
        InputFile input = storage.input(location);
        var unknown = OptionalLong.empty();
        var counts = new ManifestFile.Counts(unknown, unknown, unknown, unknown, unknown, unknown);
        var bare = new ManifestFile(
                location,
                input.length(),
                0,
                ManifestFile.Content.DATA,
                0,
                0,
                fallbackSnapshotId,
                counts,
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty());
        return describe(storage, bare);
    }

    /** The manifest with spec, content, counts, summaries and the crediting snapshot taken from its own content. */
    private static ManifestFile describe(Storage storage, ManifestFile bare) throws IOException {
        var selection = Selection.all().withStatisticsOf(Set.of());
        try (var reader = open(storage, bare, selection)) {
            ManifestHeader header = reader.header();
            var totals = new EntryTotals(header.partitionType());
            long[] creator = {bare.addedSnapshotId()};
            Class<? extends ContentFile> kind =
                    header.content() == ManifestFile.Content.DATA ? DataFile.class : DeleteFile.class;
            reader.forEach(kind, entry -> {
                totals.add(entry.status(), entry.file());
                if (entry.status() == ManifestEntry.Status.ADDED) {
                    creator[0] = entry.snapshotId();
                }
                return true;
            });
            return new ManifestFile(
                    bare.path(),
                    bare.length(),
                    header.spec().id(),
                    header.content(),
                    bare.sequenceNumber(),
                    bare.minSequenceNumber(),
                    creator[0],
                    totals.counts(),
                    Optional.of(totals.partitions()),
                    Optional.empty(),
                    OptionalLong.empty());
        }
    }

    /** The manifest with the counts that version 2 and later demand, counted if a writer of version 1 left them out. */
    static ManifestFile withCounts(Storage storage, ManifestFile manifest) throws IOException {
        ManifestFile.Counts counts = manifest.counts();
        if (counts.addedFiles().isPresent()
                && counts.existingFiles().isPresent()
                && counts.deletedFiles().isPresent()
                && counts.addedRows().isPresent()
                && counts.existingRows().isPresent()
                && counts.deletedRows().isPresent()) {
            return manifest;
        }
        return recounted(storage, manifest);
    }

    /** The manifest with the counts of what it holds, whatever its list says of it. Reads all of it. */
    public static ManifestFile recounted(Storage storage, ManifestFile manifest) throws IOException {
        ManifestFile counted = describe(storage, manifest);
        return new ManifestFile(
                manifest.path(),
                manifest.length(),
                manifest.specId(),
                manifest.content(),
                manifest.sequenceNumber(),
                manifest.minSequenceNumber(),
                manifest.addedSnapshotId(),
                counted.counts(),
                manifest.partitions().or(counted::partitions),
                manifest.keyMetadata(),
                manifest.firstRowId());
    }

    /** An entry as it was written. */
    private static final class Draft {
        private ManifestEntry.@Nullable Status status;
        private @Nullable Long snapshotId;
        private @Nullable Long sequenceNumber;
        private @Nullable Long fileSequenceNumber;
        private ContentFileReader.@Nullable Draft file;
    }
}
