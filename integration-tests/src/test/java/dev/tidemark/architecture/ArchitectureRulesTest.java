package dev.tidemark.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The shape that ARCHITECTURE.md draws, as rules. */
@AnalyzeClasses(packages = "dev.tidemark", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureRulesTest {
  @ArchTest
  static final ArchRule coreKnowsNoEngineAndNoStore =
      classes()
          .that()
          .resideInAPackage("dev.tidemark.finalization..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "dev.tidemark.finalization..", "java..", "com.tdunning..", "org.jspecify..");

  @ArchTest
  static final ArchRule readersOfFinalityNeedNoFlink =
      noClasses()
          .that()
          .resideInAnyPackage(
              "dev.tidemark.iceberg", "dev.tidemark.iceberg.commit", "dev.tidemark.iceberg.catalog")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "org.apache.flink..", "org.apache.iceberg.flink..", "dev.tidemark.iceberg.flink..");

  @ArchTest
  static final ArchRule operatorsStayInternal =
      noClasses()
          .that()
          .resideOutsideOfPackage("dev.tidemark.iceberg.flink..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("dev.tidemark.iceberg.flink.internal..");

  @ArchTest
  static final ArchRule theCoreIsToldTheTime =
      noClasses()
          .that()
          .resideInAPackage("dev.tidemark.finalization..")
          .should()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(java.time.Instant.class, "now")
          .because("the clock is injected, so that a replay gives the same");

  @ArchTest
  static final ArchRule corePackagesHaveNoCycles =
      slices().matching("dev.tidemark.finalization.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule icebergPackagesHaveNoCycles =
      slices().matching("dev.tidemark.iceberg.(**)").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule pipelinePackagesHaveNoCycles =
      slices().matching("dev.tidemark.pipeline.(*)..").should().beFreeOfCycles();
}
