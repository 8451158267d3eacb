package dev.tidemark.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Test;

/** The shape that ARCHITECTURE.md draws, as rules. */
class ArchitectureRulesTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(location -> !location.contains("-tests.jar"))
          .importPackages("dev.tidemark");

  private static final String SHARED_OF_FLINK = "dev.tidemark.finalization.flink..";

  @Test
  void coreKnowsNoEngineAndNoStore() {
    ArchRule rule =
        classes()
            .that()
            .resideInAPackage("dev.tidemark.finalization..")
            .and()
            .resideOutsideOfPackage(SHARED_OF_FLINK)
            .should()
            .onlyDependOnClassesThat(
                resideInAnyPackage(
                        "dev.tidemark.finalization..", "java..", "com.tdunning..", "org.jspecify..")
                    .and(resideOutsideOfPackage(SHARED_OF_FLINK)));
    rule.check(CLASSES);
  }

  @Test
  void whatBothSinksShareOfFlinkKnowsNoStore() {
    ArchRule rule =
        classes()
            .that()
            .resideInAPackage(SHARED_OF_FLINK)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                "dev.tidemark.finalization..", "java..", "org.apache.flink..", "org.jspecify..");
    rule.check(CLASSES);
  }

  @Test
  void readersOfFinalityNeedNoFlink() {
    ArchRule rule =
        noClasses()
            .that()
            .resideInAnyPackage(
                "dev.tidemark.iceberg",
                "dev.tidemark.iceberg.commit",
                "dev.tidemark.iceberg.catalog",
                "dev.tidemark.pinot",
                "dev.tidemark.pinot.controller",
                "dev.tidemark.pinot.segment",
                "dev.tidemark.pinot.commit",
                "dev.tidemark.cli..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                "org.apache.flink..",
                SHARED_OF_FLINK,
                "org.apache.iceberg.flink..",
                "dev.tidemark.iceberg.flink..",
                "dev.tidemark.pinot.flink..");
    rule.check(CLASSES);
  }

  @Test
  void operatorsStayInternal() {
    ArchRule rule =
        noClasses()
            .that()
            .resideOutsideOfPackage("dev.tidemark.iceberg.flink..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.tidemark.iceberg.flink.internal..");
    rule.check(CLASSES);
    ArchRule pinot =
        noClasses()
            .that()
            .resideOutsideOfPackage("dev.tidemark.pinot.flink..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.tidemark.pinot.flink.internal..");
    pinot.check(CLASSES);
  }

  @Test
  void sinksDoNotSeeEachOther() {
    ArchRule iceberg =
        noClasses()
            .that()
            .resideInAPackage("dev.tidemark.iceberg..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.tidemark.pinot..", "org.apache.pinot..");
    iceberg.check(CLASSES);
    ArchRule pinot =
        noClasses()
            .that()
            .resideInAPackage("dev.tidemark.pinot..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.tidemark.iceberg..", "org.apache.iceberg..");
    pinot.check(CLASSES);
  }

  @Test
  void theCoreIsToldTheTime() {
    ArchRule rule =
        noClasses()
            .that()
            .resideInAPackage("dev.tidemark.finalization..")
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(java.time.Instant.class, "now")
            .because("the clock is injected, so that a replay gives the same");
    rule.check(CLASSES);
  }

  @Test
  void corePackagesHaveNoCycles() {
    ArchRule rule = slices().matching("dev.tidemark.finalization.(*)..").should().beFreeOfCycles();
    rule.check(CLASSES);
  }

  @Test
  void icebergPackagesHaveNoCycles() {
    ArchRule rule = slices().matching("dev.tidemark.iceberg.(**)").should().beFreeOfCycles();
    rule.check(CLASSES);
  }

  @Test
  void pinotPackagesHaveNoCycles() {
    ArchRule rule = slices().matching("dev.tidemark.pinot.(*)..").should().beFreeOfCycles();
    rule.check(CLASSES);
  }

  @Test
  void pipelinePackagesHaveNoCycles() {
    ArchRule rule = slices().matching("dev.tidemark.pipeline.(*)..").should().beFreeOfCycles();
    rule.check(CLASSES);
  }

  @Test
  void commandLineNeedsNoPinotAndNothingButTheStoresKnowsThem() {
    ArchRule pinot =
        noClasses()
            .that()
            .resideInAPackage("dev.tidemark.cli..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.pinot..");
    pinot.check(CLASSES);
    ArchRule stores =
        noClasses()
            .that()
            .resideInAPackage("dev.tidemark.cli..")
            .and()
            .resideOutsideOfPackage("dev.tidemark.cli.store")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                "dev.tidemark.iceberg..", "dev.tidemark.pinot..", "org.apache.iceberg..");
    stores.check(CLASSES);
  }

  @Test
  void explanationsArePure() {
    ArchRule rule =
        noClasses()
            .that()
            .resideInAnyPackage(
                "dev.tidemark.cli.explain", "dev.tidemark.cli.late", "dev.tidemark.cli.history")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                "dev.tidemark.cli.command", "dev.tidemark.cli.store", "picocli..", "java.io..");
    rule.check(CLASSES);
  }

  @Test
  void sparkPackagesHaveNoCycles() {
    ArchRule rule = slices().matching("dev.tidemark.spark.(*)..").should().beFreeOfCycles();
    rule.check(CLASSES);
  }

  @Test
  void sparkNeedsNoFlink() {
    ArchRule rule =
        noClasses()
            .that()
            .resideInAPackage("dev.tidemark.spark..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                "org.apache.flink..",
                "org.apache.iceberg.flink..",
                "dev.tidemark.iceberg.flink..",
                "org.apache.kafka..")
            .because("those are not on Spark's class path");
    rule.check(CLASSES);
  }
}
