package dev.calve.scan;

import dev.calve.expression.Expression;
import dev.calve.expression.ManifestPruner;
import dev.calve.expression.MetricsPruner;
import dev.calve.expression.PartitionMatcher;
import dev.calve.expression.Projection;
import dev.calve.expression.Residuals;
import dev.calve.manifest.DataFile;
import dev.calve.manifest.ManifestFile;
import dev.calve.metadata.TableMetadata;
import dev.calve.partition.PartitionSpec;

/** A row filter prepared for the manifests and files of one partition spec. Immutable; pure computation. */
public final class FileFilter {

    private final ManifestPruner manifests;
    private final PartitionMatcher may;
    private final PartitionMatcher must;
    private final MetricsPruner metrics;
    private final Residuals residuals;

    public FileFilter(TableMetadata metadata, int specId, Expression filter) {
        PartitionSpec spec = metadata.spec(specId);
        Expression inclusive = Projection.inclusive(spec, filter);
        this.manifests = new ManifestPruner(metadata.partitionType(specId), inclusive);
        this.may = new PartitionMatcher(spec, inclusive);
        this.must = new PartitionMatcher(spec, Projection.strict(spec, filter));
        this.metrics = new MetricsPruner(filter);
        this.residuals = Residuals.of(spec, filter);
    }

    /** Whether a file of the manifest may hold a row the filter is TRUE for. */
    public boolean mightMatch(ManifestFile manifest) {
        return manifests.mightMatch(manifest.partitions());
    }

    /** Whether the file may hold a row the filter is TRUE for. */
    public boolean mightMatch(DataFile file) {
        return may.matches(file.partition()) && metrics.mightMatch(file.metrics());
    }

    /** Whether the filter is proved TRUE for every row of the file. */
    public boolean mustMatch(DataFile file) {
        return must.matches(file.partition()) || metrics.mustMatch(file.metrics());
    }

    /** What of the filter the file's partition does not answer. */
    public Expression residual(DataFile file) {
        return residuals.residual(file.partition());
    }
}
