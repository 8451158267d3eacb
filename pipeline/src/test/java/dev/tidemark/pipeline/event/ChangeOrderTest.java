package dev.tidemark.pipeline.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

@NullUnmarked
class ChangeOrderTest {
  private static final KafkaPosition AT = new KafkaPosition("t", 1, 5);

  @Test
  void theTextOrdersAsTheChangesDo() {
    long seed = Long.getLong("tidemark.test.seed", System.nanoTime());
    System.out.println("ChangeOrderTest: -Dtidemark.test.seed=" + seed);
    Random random = new Random(seed);
    List<ChangeOrder> orders = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      orders.add(
          new ChangeOrder(
              random.nextLong() >>> random.nextInt(64),
              random.nextLong(ChangeOrder.MAX_TOTAL_ORDER + 1) >>> random.nextInt(32),
              random.nextInt(Integer.MAX_VALUE) >>> random.nextInt(31),
              random.nextLong(Long.MAX_VALUE) >>> random.nextInt(63)));
    }
    for (int i = 1; i < orders.size(); i++) {
      ChangeOrder a = orders.get(i - 1);
      ChangeOrder b = orders.get(i);
      assertThat(Integer.signum(a.cdcOrd().compareTo(b.cdcOrd())))
          .isEqualTo(Integer.signum(a.compareTo(b)))
          .isEqualTo(-Integer.signum(b.compareTo(a)));
      assertThat(ChangeOrder.parse(a.cdcOrd())).isEqualTo(a);
    }
    Collections.sort(orders);
    assertThat(orders.stream().map(ChangeOrder::cdcOrd)).isSorted();
  }

  @Test
  void theTextIsPinned() {
    assertThat(ChangeOrder.streamed(new Gtid(0, 184054, 14), 12, AT).cdcOrd())
        .isEqualTo("000000000000000e" + "0000000c" + "00000001" + "0000000000000005");
    assertThat(ChangeOrder.snapshot(AT).cdcOrd())
        .isEqualTo("0000000000000000" + "00000000" + "00000001" + "0000000000000005");
  }

  @Test
  void aSequenceBeyondTheSignedLongsStillSortsLast() {
    Gtid last = Gtid.parse("0-1-18446744073709551615").orElseThrow();
    Gtid before = Gtid.parse("0-1-9223372036854775807").orElseThrow();
    assertThat(ChangeOrder.streamed(last, 1, AT))
        .isGreaterThan(ChangeOrder.streamed(before, 9, AT));
    assertThat(last).hasToString("0-1-18446744073709551615");
  }

  @Test
  void aSnapshotRowSortsBelowTheFirstStreamedChange() {
    ChangeOrder snapshot = ChangeOrder.snapshot(new KafkaPosition("t", 99, Long.MAX_VALUE));
    assertThat(snapshot).isLessThan(ChangeOrder.streamed(new Gtid(0, 1, 1), 1, AT));
  }

  @Test
  void oneChangeDeliveredTwiceHasOneSourceOrderAndTwoPlaces() {
    ChangeOrder first = ChangeOrder.streamed(new Gtid(0, 1, 7), 1, AT);
    ChangeOrder again = ChangeOrder.streamed(new Gtid(0, 1, 7), 1, new KafkaPosition("t", 1, 6));
    assertThat(first.compareSource(again)).isZero();
    assertThat(first).isLessThan(again);
  }

  @Test
  void refusesWhatTheEncodingHasNoRoomFor() {
    Gtid gtid = new Gtid(0, 1, 7);
    assertThatThrownBy(() -> ChangeOrder.streamed(gtid, 1L << 32, AT))
        .hasMessage("transaction.total_order: 4294967296 (expected: 0 to 4294967295)");
    assertThatThrownBy(() -> ChangeOrder.streamed(gtid, 0, AT))
        .hasMessage("transaction.total_order: 0 (expected: >= 1)");
    assertThatThrownBy(() -> ChangeOrder.parse("00")).hasMessageContaining("48 hexadecimal digits");
  }

  @Test
  void whatIsNoMariaDbGtidIsNone() {
    assertThat(List.of("", "0-1", "0-1-0", "a-1-2", "0-1-99999999999999999999", "9999999999-1-1"))
        .allMatch(text -> Gtid.parse(text).isEmpty());
  }

  @Test
  void twoGtidDomainsOfOneServerAreRefusedByName() throws Exception {
    SingleGtidDomain domain = new SingleGtidDomain();
    domain.check(new SourcePoint("cdc", null, 0, true));
    domain.check(new SourcePoint("cdc", new Gtid(3, 1, 10), 0, false));
    domain.check(new SourcePoint("other", new Gtid(4, 1, 10), 0, false));
    domain.check(new SourcePoint("cdc", new Gtid(3, 2, 11), 0, false));
    assertThatThrownBy(() -> domain.check(new SourcePoint("cdc", new Gtid(5, 1, 12), 0, false)))
        .isInstanceOf(UnorderableStreamException.class)
        .hasMessageContaining("server \"cdc\": GTID domain 5 after domain 3")
        .hasMessageContaining("gtid_domain_id");
    assertThat(domain.domains()).containsOnlyKeys("cdc", "other").containsEntry("cdc", 3L);
  }
}
