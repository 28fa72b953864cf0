package dev.calve.spark.rowlevel;

import dev.calve.catalog.LoadedTable;
import dev.calve.commit.Statement;
import dev.calve.metadata.TableProperties;
import dev.calve.metadata.TableProperties.DistributionMode;
import dev.calve.metadata.TableProperties.Property;
import dev.calve.metadata.TableProperties.RowLevelMode;
import dev.calve.rowdelete.RewriteFrom;
import dev.calve.rowlevel.RowChange;
import java.util.Locale;
import java.util.Optional;
import org.apache.spark.sql.connector.write.RowLevelOperation;
import org.apache.spark.sql.internal.SQLConf;

/**
 * How one statement runs: each command has properties of its own, and the session's setting {@code spark.calve.COMMAND.mode}
 * stands in for the property of the mode.
 *
 * @param modeSetBy the property or setting that says so, or would
 * @param rewriting which files are written again because of the mode
 * @param distribution of new rows
 */
record RowLevelSettings(
        RowChange.Command command,
        RowLevelMode mode,
        String modeSetBy,
        RewriteFrom rewriting,
        Statement.Isolation isolation,
        DistributionMode distribution,
        String distributionSetBy) {

    /**
     * Reads what the table and the session say.
     *
     * @throws IllegalArgumentException if a value is none of the known ones, or the table's format version cannot express what is
     *     asked for
     */
    static RowLevelSettings of(LoadedTable table, RowLevelOperation.Command command) {
        TableProperties properties = table.properties();
        return switch (command) {
            case DELETE ->
                of(
                        table,
                        RowChange.Command.DELETE,
                        TableProperties.DELETE_MODE,
                        Statement.Isolation.ofDelete(properties),
                        TableProperties.DELETE_DISTRIBUTION_MODE);
            case UPDATE ->
                of(
                        table,
                        RowChange.Command.UPDATE,
                        TableProperties.UPDATE_MODE,
                        Statement.Isolation.ofUpdate(properties),
                        TableProperties.UPDATE_DISTRIBUTION_MODE);
            case MERGE ->
                of(
                        table,
                        RowChange.Command.MERGE,
                        TableProperties.MERGE_MODE,
                        Statement.Isolation.ofMerge(properties),
                        TableProperties.MERGE_DISTRIBUTION_MODE);
        };
    }

    private static RowLevelSettings of(
            LoadedTable table,
            RowChange.Command command,
            Property<RowLevelMode> mode,
            Statement.Isolation isolation,
            Property<Optional<DistributionMode>> distribution) {
        TableProperties properties = table.properties();
        String setting = "spark.calve." + command.name().toLowerCase(Locale.ROOT) + ".mode";
        String asked = SQLConf.get().getConfString(setting, "");
        RowLevelMode chosen = asked.isEmpty() ? properties.get(mode) : parsed(mode, asked, setting);
        Optional<DistributionMode> own = properties.get(distribution);
        return new RowLevelSettings(
                        command,
                        chosen,
                        asked.isEmpty() ? mode.name() : setting,
                        rewriting(chosen, properties),
                        isolation,
                        own.or(() -> properties.get(TableProperties.DISTRIBUTION_MODE))
                                .orElse(DistributionMode.HASH),
                        own.isPresent() ? distribution.name() : TableProperties.DISTRIBUTION_MODE.name())
                .checked(table);
    }

    private static RewriteFrom rewriting(RowLevelMode mode, TableProperties properties) {
        return switch (mode) {
            case COPY_ON_WRITE -> RewriteFrom.ALWAYS;
            case MERGE_ON_READ -> RewriteFrom.NEVER;
            case ADAPTIVE -> new RewriteFrom(properties.get(TableProperties.ADAPTIVE_THRESHOLD));
        };
    }

    private RowLevelSettings checked(LoadedTable table) {
        if (mode == RowLevelMode.COPY_ON_WRITE) {
            return this;
        }
        int version = table.metadata().formatVersion();
        if (version == 1) {
            throw new IllegalArgumentException(modeSetBy + " '" + text(mode) + "' needs format version 2 or 3, but "
                    + table.name() + " has 1. Set it to 'copy-on-write', or upgrade the table.");
        }
        return this;
    }

    private static RowLevelMode parsed(Property<RowLevelMode> mode, String text, String setting) {
        return mode.parser()
                .apply(text)
                .orElseThrow(() -> new IllegalArgumentException(
                        "Setting " + setting + " must be " + mode.expectation() + ", not '" + text + "'."));
    }

    /** For EXPLAIN. */
    @Override
    public String toString() {
        String adaptive = mode == RowLevelMode.ADAPTIVE
                ? " (files are written again from a share of " + rewriting.share() + " deleted rows on, by "
                        + TableProperties.ADAPTIVE_THRESHOLD.name() + ")"
                : "";
        return "mode " + text(mode) + " by " + modeSetBy + adaptive + ", isolation " + text(isolation.level()) + " by "
                + isolation.setBy()
                + (command == RowChange.Command.DELETE
                        ? ""
                        : ", distribution of new rows " + text(distribution) + " by " + distributionSetBy);
    }

    private static String text(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
