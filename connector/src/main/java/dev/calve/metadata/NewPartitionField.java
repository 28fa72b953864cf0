package dev.calve.metadata;

import dev.calve.partition.ColumnTransform;
import java.util.Optional;

/**
 * A partition field that is asked for.
 *
 * @param name empty for the one it gets by default
 */
public record NewPartitionField(ColumnTransform term, Optional<String> name) {}
