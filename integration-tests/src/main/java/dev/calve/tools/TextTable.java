package dev.calve.tools;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Rows of text under a header, aligned for a terminal: numbers to the right, everything else to the left.
 *
 * @param numeric which columns hold numbers, as many as there are headers
 */
record TextTable(List<String> header, List<Boolean> numeric, List<List<String>> rows) {

    private static final String GAP = "  ";

    TextTable {
        header = List.copyOf(header);
        numeric = List.copyOf(numeric);
        rows = rows.stream().map(List::copyOf).toList();
    }

    /** The table's lines, without spaces at their ends. Line breaks inside values become {@code \n}. */
    List<String> lines() {
        List<List<String>> cells = rows.stream()
                .map(row -> row.stream().map(TextTable::onOneLine).toList())
                .toList();
        int[] widths = IntStream.range(0, header.size())
                .map(column -> Math.max(
                        width(onOneLine(header.get(column))),
                        cells.stream()
                                .mapToInt(row -> width(row.get(column)))
                                .max()
                                .orElse(0)))
                .toArray();
        var lines = new java.util.ArrayList<String>();
        lines.add(line(header.stream().map(TextTable::onOneLine).toList(), widths));
        lines.add(IntStream.of(widths).mapToObj("-"::repeat).collect(Collectors.joining(GAP)));
        cells.forEach(row -> lines.add(line(row, widths)));
        return lines;
    }

    private String line(List<String> cells, int[] widths) {
        return IntStream.range(0, widths.length)
                .mapToObj(column -> {
                    String padding = " ".repeat(widths[column] - width(cells.get(column)));
                    return numeric.get(column) ? padding + cells.get(column) : cells.get(column) + padding;
                })
                .collect(Collectors.joining(GAP))
                .stripTrailing();
    }

    private static int width(String text) {
        return text.codePointCount(0, text.length());
    }

    private static String onOneLine(String text) {
        return text.replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t");
    }
}
