package dev.calve.commit;

import dev.calve.metadata.TableMetadata;

/** A table's metadata and where it was read from; what a swap replaces. */
public record TableState(TableMetadata metadata, String metadataLocation) {}
