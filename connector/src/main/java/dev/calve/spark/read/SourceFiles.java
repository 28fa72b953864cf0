package dev.calve.spark.read;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.PartitioningAwareFileIndex;
import org.apache.spark.sql.sources.BaseRelation;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The files that Spark reads a relation of its own from, as it listed them. As long as each has the length and the time of its
 * last change that the list says, reading them gives the same rows.
 */
public final class SourceFiles {

    /** To ask about each file must not cost more than a scan saves. */
    private static final int MOST_FILES = 1_000;

    private final List<FileStatus> listed;
    private final Configuration configuration;

    private SourceFiles(List<FileStatus> listed, Configuration configuration) {
        this.listed = listed;
        this.configuration = configuration;
    }

    /** The files of a relation; empty if it is made of something else, or of too many. Asks no file system. */
    public static Optional<SourceFiles> of(BaseRelation relation) {
        if (relation instanceof HadoopFsRelation files
                && files.fileFormat().getClass().getName().startsWith("org.apache.spark.sql.")
                && files.location() instanceof PartitioningAwareFileIndex index) {
            List<FileStatus> listed = CollectionConverters.asJava(index.allFiles());
            return listed.size() > MOST_FILES
                    ? Optional.empty()
                    : Optional.of(new SourceFiles(
                            new ArrayList<>(listed),
                            files.sparkSession().sessionState().newHadoopConfWithOptions(files.options())));
        }
        return Optional.empty();
    }

    /** The first file that is not what it was when it was listed. Cost: one request for each. */
    public Optional<String> changed() throws IOException {
        for (FileStatus then : listed) {
            if (!isUnchanged(then)) {
                return Optional.of(then.getPath().toString());
            }
        }
        return Optional.empty();
    }

    private boolean isUnchanged(FileStatus then) throws IOException {
        try {
            FileStatus now = then.getPath().getFileSystem(configuration).getFileStatus(then.getPath());
            return now.getLen() == then.getLen() && now.getModificationTime() == then.getModificationTime();
        } catch (FileNotFoundException e) {
            return false;
        }
    }
}
