package dev.tidemark.spark.plan;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PhysicalPlanTest {
  @Test
  void exchangesOfSubqueriesAreCountedApart() {
    PhysicalPlan plan =
        PhysicalPlan.parse(
            """
            == Physical Plan ==
            ReplaceData IcebergWrite
            +- SortMergeJoin [id#1], [id#2], FullOuter
               :- Sort [id#1]
               :  +- Exchange hashpartitioning(id#1, 2)
               :     +- BatchScan base RuntimeFilters: [dynamicpruningexpression
               :           +- Subquery subquery#199, [id=#176]
               :              +- HashAggregate(keys=[_file#198])
               :                 +- Exchange hashpartitioning(_file#198, 2)
               +- Sort [id#2]
                  +- BroadcastExchange HashedRelation
                     +- BatchScan ledger Exchange in a name
            """);
    assertThat(plan.exchanges()).isEqualTo(2);
    assertThat(plan.broadcasts()).isEqualTo(1);
    assertThat(plan.filterExchanges()).isEqualTo(1);
    assertThat(plan.isShuffleFree()).isFalse();
  }

  @Test
  void rowsThatEveryTaskGetsAreNoShuffle() {
    PhysicalPlan plan =
        PhysicalPlan.parse(
            """
            == Physical Plan ==
            WriteDelta IcebergWrite
            +- SortMergeJoin [id#1], [id#2], RightOuter
               :- Sort [id#1]
               :  +- BatchScan base RuntimeFilters: [dynamicpruningexpression
               :        +- Subquery subquery#7, [id=#8]
               :           +- BroadcastExchange HashedRelation
               :              +- Exchange hashpartitioning(_file#198, 2)
               +- Sort [id#2]
                  +- BroadcastHashJoin [id#2], [id#3], LeftOuter
                     :- BatchScan ledger
                     +- BroadcastExchange HashedRelation
                        +- LocalTableScan
            """);
    assertThat(plan.exchanges()).isEqualTo(1);
    assertThat(plan.broadcasts()).isEqualTo(1);
    assertThat(plan.filterExchanges()).isEqualTo(2);
    assertThat(plan.isShuffleFree()).isTrue();
  }

  @Test
  void planWithoutExchangesIsShuffleFree() {
    assertThat(PhysicalPlan.parse("== Physical Plan ==\n*(1) Scan\n").isShuffleFree()).isTrue();
  }
}
