package dev.calve;

import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Ways in which files break, and ways in which somebody who wants to break their reader writes them. */
public final class Damage {

    private static final ObjectMapper JSON = new ObjectMapper();

    private static final long[] EXTREMES = {
        0,
        1,
        -1,
        127,
        128,
        255,
        256,
        65_535,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        0x7FFF_FFF7L,
        Long.MAX_VALUE,
        Long.MIN_VALUE
    };

    private Damage() {}

    /** One sample with one to three things done to it. */
    public static byte[] bytes(Randomly random, List<byte[]> samples) {
        byte[] bytes = random.oneOf(samples).clone();
        for (int i = random.intBetween(1, 3); i > 0 && bytes.length > 0; i--) {
            bytes = once(random, bytes, samples);
        }
        return bytes;
    }

    private static byte[] once(Randomly random, byte[] bytes, List<byte[]> samples) {
        int at = place(random, bytes.length);
        switch (random.intBelow(10)) {
            case 0 -> {
                return Arrays.copyOf(bytes, at);
            }
            case 1, 2, 3 -> bytes[at] ^= (byte) (1 << random.intBelow(8));
            case 4 -> bytes[at] = (byte) random.intBelow(256);
            case 5 -> put(random, bytes, at);
            case 6 -> {
                return replaced(bytes, at, random.intBelow(4), varint(random));
            }
            case 7 -> {
                int from = random.intBelow(bytes.length);
                int length = random.intBelow(Math.min(64, bytes.length - from) + 1);
                return replaced(bytes, at, 0, Arrays.copyOfRange(bytes, from, from + length));
            }
            case 8 -> {
                return replaced(bytes, at, random.intBetween(1, 16), new byte[0]);
            }
            default -> {
                byte[] other = random.oneOf(samples);
                int from = random.intBelow(other.length);
                byte[] piece = Arrays.copyOfRange(other, from, Math.min(other.length, from + random.intBetween(1, 40)));
                return replaced(bytes, at, piece.length, piece);
            }
        }
        return bytes;
    }

    /** Half of all places are in the last quarter, where formats keep what they know of the rest. */
    private static int place(Randomly random, int length) {
        return random.yes() ? random.intBelow(length) : length - 1 - random.intBelow(Math.max(1, length / 4));
    }

    /** A number of 4 or 8 bytes where one may be. */
    private static void put(Randomly random, byte[] bytes, int at) {
        var buffer = ByteBuffer.wrap(bytes).order(random.oneOf(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN));
        long number = EXTREMES[random.intBelow(EXTREMES.length)];
        if (bytes.length - at >= Long.BYTES && random.yes()) {
            buffer.putLong(at, number);
        } else if (bytes.length - at >= Integer.BYTES) {
            buffer.putInt(at, (int) number);
        }
    }

    /** A number as Avro and Thrift write it. */
    private static byte[] varint(Randomly random) {
        long rest = EXTREMES[random.intBelow(EXTREMES.length)];
        var bytes = ByteBuffer.allocate(10);
        for (; (rest & ~0x7FL) != 0; rest >>>= 7) {
            bytes.put((byte) (rest | 0x80));
        }
        bytes.put((byte) rest);
        return Arrays.copyOf(bytes.array(), bytes.position());
    }

    private static byte[] replaced(byte[] bytes, int at, int length, byte[] by) {
        int end = Math.min(bytes.length, at + length);
        var result = Arrays.copyOf(bytes, at + by.length + bytes.length - end);
        System.arraycopy(by, 0, result, at, by.length);
        System.arraycopy(bytes, end, result, at + by.length, bytes.length - end);
        return result;
    }

    /** A JSON sample with one to three values replaced, dropped, doubled or moved; sometimes one that is no JSON any more. */
    public static byte[] json(Randomly random, List<byte[]> samples) {
        if (random.percent(20)) {
            return bytes(random, samples);
        }
        try {
            JsonNode root = JSON.readTree(random.oneOf(samples));
            for (int i = random.intBetween(1, 3); i > 0; i--) {
                change(random, root);
            }
            return JSON.writeValueAsBytes(root);
        } catch (StreamConstraintsException e) {
            return random.oneOf(samples); // Changed until it is nested deeper than can be written.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void change(Randomly random, JsonNode root) {
        var containers = new ArrayList<JsonNode>();
        collect(root, containers);
        if (containers.isEmpty()) {
            return;
        }
        JsonNode container = random.oneOf(containers);
        JsonNode value = random.percent(30) ? random.oneOf(containers).deepCopy() : odd(random);
        if (container instanceof ObjectNode object) {
            var names = new ArrayList<String>();
            object.fieldNames().forEachRemaining(names::add);
            String name = random.oneOf(names);
            if (random.percent(20)) {
                object.remove(name);
            } else {
                object.set(random.percent(90) ? name : random.oneOf(names), value);
            }
        } else if (container instanceof ArrayNode array) {
            int at = random.intBelow(array.size());
            switch (random.intBelow(3)) {
                case 0 -> array.remove(at);
                case 1 -> array.add(array.get(at).deepCopy());
                default -> array.set(at, value);
            }
        }
    }

    /** Objects and arrays that hold something. */
    private static void collect(JsonNode node, List<JsonNode> containers) {
        if (node.isContainerNode() && !node.isEmpty()) {
            containers.add(node);
            node.forEach(child -> collect(child, containers));
        }
    }

    private static JsonNode odd(Randomly random) {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        return switch (random.intBelow(8)) {
            case 0 -> nodes.nullNode();
            case 1 -> nodes.numberNode(EXTREMES[random.intBelow(EXTREMES.length)]);
            case 2 -> nodes.numberNode(random.intBelow(5));
            case 3 -> nodes.textNode(random.string(6));
            case 4 ->
                nodes.textNode(random.oneOf(
                        "long",
                        "int",
                        "decimal(99999999999,2)",
                        "decimal(9,-1)",
                        "fixed[-1]",
                        "fixed[99999999999]",
                        "bucket[0]",
                        "truncate[99999999999]",
                        "void",
                        "list",
                        "struct",
                        "map",
                        "1e999999999",
                        "9".repeat(400),
                        "99999-12-31T23:59:59.999999999+00:00",
                        "0000"));
            case 5 -> nodes.booleanNode(random.yes());
            case 6 -> nodes.numberNode(random.oneOf(1e300, -0.5, 1e18));
            default -> deep(nodes, random.oneOf(1, 400), random.yes());
        };
    }

    private static JsonNode deep(JsonNodeFactory nodes, int levels, boolean objects) {
        JsonNode node = objects ? nodes.objectNode() : nodes.arrayNode();
        for (int i = 1; i < levels; i++) {
            node = objects
                    ? nodes.objectNode().set("fields", node)
                    : nodes.arrayNode().add(node);
        }
        return node;
    }
}
