package dev.calve.rowlevel.interleaving;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InterleavingTest {

    @ParameterizedTest
    @ValueSource(ints = {2})
    void smoke(int version) throws IOException {
        Start start = start(version, true);
        int runs = 0;
        long t = System.nanoTime();
        for (List<Work> pair : pairs()) {
            if (version == 3 && pair.get(1).kind() == Work.Kind.UPGRADE) continue;
            var each = new Choosing.Each(0);
            
            do {
                start.run(pair, each);
                runs++;
            } while (each.next());
            
        }
        System.out.println(runs + " runs in " + (System.nanoTime() - t) / 1000000);
        assertThat(runs).isPositive();
    }

    static Start start(int version, boolean partitioned) throws IOException {
        return Start.after(
                Table.create(version, partitioned),
                Work.append("base1", Map.of(0L, 0L, 1L, 10L, 2L, 20L, 3L, 30L, 4L, 40L, 5L, 50L)),
                Work.append("base2", Map.of(6L, 60L, 7L, 70L, 8L, 80L, 9L, 90L)),
                Work.delete("base3", Where.ids(0L, 1L)));
    }

    static List<List<Work>> pairs() {
        var pairs = new ArrayList<List<Work>>();
        List<Work> a = works("A", 2, 3);
        List<Work> b = works("B", 3, 4);
        for (int i = 0; i < a.size(); i++) {
            for (int j = i; j < b.size(); j++) {
                pairs.add(List.of(a.get(i), b.get(j)));
            }
        }
        return pairs;
    }

    static List<Work> works(String name, long x, long y) {
        return List.of(
                Work.append(name, Map.of(x, 1000L, 30 + x, 2000L)),
                Work.delete(name, Where.ids(x, y)),
                Work.delete(name, Where.ids(x, y)).rewriting(),
                Work.update(name, Where.ids(x, y), 7),
                Work.update(name, Where.ids(x, y), 7).rewriting(),
                Work.merge(name, Map.of(x, 500L, y, 600L, 21L, 700L), 35),
                Work.merge(name, Map.of(x, 500L, y, 600L, 21L, 700L), 35).rewriting(),
                Work.derive(name, Where.ids(x), Where.ids(y)),
                Work.overwrite(name, Where.part(0), Map.of(2L, 3000L, 12L, 3000L)),
                Work.readAndOverwrite(name, Where.part(0)),
                Work.compact(name, Where.part(0)),
                Work.upsert(name, Map.of(x, 800L, y, 900L)),
                Work.setProperty(name),
                Work.upgrade(name));
    }
}
