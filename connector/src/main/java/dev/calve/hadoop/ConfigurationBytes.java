package dev.calve.hadoop;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import org.apache.hadoop.conf.Configuration;

/**
 * A Hadoop configuration as bytes: all entries, sorted so that equal configurations give equal bytes, deflated. Hadoop's
 * own form also carries where each value came from, each compressed for itself, and is several times as large.
 */
final class ConfigurationBytes {

    private ConfigurationBytes() {}

    static byte[] write(Configuration configuration) {
        var sorted = new TreeMap<String, String>();
        for (Map.Entry<String, String> entry : configuration) {
            sorted.put(entry.getKey(), entry.getValue());
        }
        var bytes = new ByteArrayOutputStream();
        try (var out = new DataOutputStream(new DeflaterOutputStream(bytes))) {
            out.writeInt(sorted.size());
            for (Map.Entry<String, String> entry : sorted.entrySet()) {
                writeText(out, entry.getKey());
                writeText(out, entry.getValue());
            }
        } catch (IOException e) {
            throw new IllegalStateException("Writing to memory must not fail: " + e.getMessage(), e);
        }
        return bytes.toByteArray();
    }

    /** Loads no default resources: everything is in the bytes. */
    static Configuration read(byte[] bytes) {
        var configuration = new Configuration(false);
        try (var in = new DataInputStream(new InflaterInputStream(new ByteArrayInputStream(bytes)))) {
            for (int left = in.readInt(); left > 0; left--) {
                var name = readText(in);
                configuration.set(name, readText(in));
            }
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "Bytes of a storage must be what another storage wrote, but are not: " + e.getMessage(), e);
        }
        return configuration;
    }

    private static void writeText(DataOutputStream out, String text) throws IOException {
        byte[] encoded = text.getBytes(UTF_8);
        out.writeInt(encoded.length);
        out.write(encoded);
    }

    private static String readText(DataInputStream in) throws IOException {
        int length = in.readInt();
        byte[] encoded = length < 0 ? new byte[0] : in.readNBytes(length);
        if (encoded.length != length) {
            throw new IOException("text of length " + length + " has only " + encoded.length + " bytes");
        }
        return new String(encoded, UTF_8);
    }
}
