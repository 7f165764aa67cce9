package dev.tensorstack.training;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.tensorstack.training.core.ledger.Ledger;
import dev.tensorstack.training.core.ledger.StoredLedger;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.ObjectWrite;
import dev.tensorstack.training.core.plan.PlannedAction;
import dev.tensorstack.training.core.plan.Planner;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.CustomResource;
import java.lang.reflect.RecordComponent;
import java.time.Clock;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The direction in which packages depend on each other; docs/architecture.md draws it. */
class ArchitectureTest {

  static final JavaClasses OPERATOR =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("dev.tensorstack.training");

  private static final String ROOT = "dev.tensorstack.training.";

  /**
   * Who may use whom, from the top: {@code runtime} puts all together, {@code core} knows nobody.
   */
  private static final ArchRule PACKAGES_DEPEND_IN_ONE_DIRECTION =
      layeredArchitecture()
          .consideringOnlyDependenciesInAnyPackage("dev.tensorstack.training..")
          .layer("core")
          .definedBy(ROOT + "core..")
          .layer("kind")
          .definedBy(ROOT + "kind..")
          .layer("engine")
          .definedBy(ROOT + "engine..")
          .layer("webhook")
          .definedBy(ROOT + "webhook..")
          .layer("tls")
          .definedBy(ROOT + "tls..")
          .layer("https")
          .definedBy(ROOT + "https..")
          .layer("progress")
          .definedBy(ROOT + "progress..")
          .layer("metrics")
          .definedBy(ROOT + "metrics..")
          .layer("runtime")
          .definedBy(ROOT + "runtime..")
          .whereLayer("runtime")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("progress")
          .mayOnlyBeAccessedByLayers("runtime")
          .whereLayer("metrics")
          .mayOnlyBeAccessedByLayers("runtime")
          .whereLayer("https")
          .mayOnlyBeAccessedByLayers("progress", "metrics")
          .whereLayer("engine")
          .mayOnlyBeAccessedByLayers("progress", "metrics", "runtime")
          .whereLayer("webhook")
          .mayOnlyBeAccessedByLayers("runtime")
          .whereLayer("tls")
          .mayOnlyBeAccessedByLayers("progress", "metrics", "runtime")
          .whereLayer("kind")
          .mayOnlyBeAccessedByLayers("engine", "webhook", "runtime");

  /** Within the core: what is seen and remembered, then decisions, then what is told of them. */
  private static final ArchRule THE_CORE_DEPENDS_IN_ONE_DIRECTION =
      layeredArchitecture()
          .consideringOnlyDependenciesInAnyPackage(ROOT + "core..")
          .layer("naming")
          .definedBy(ROOT + "core.naming..")
          .layer("model")
          .definedBy(ROOT + "core.model..")
          .layer("ledger")
          .definedBy(ROOT + "core.ledger..")
          .layer("observe")
          .definedBy(ROOT + "core.observe..")
          .layer("policy")
          .definedBy(ROOT + "core.policy..")
          .layer("gang")
          .definedBy(ROOT + "core.gang..")
          .layer("queue")
          .definedBy(ROOT + "core.queue..")
          .layer("pod")
          .definedBy(ROOT + "core.pod..")
          .layer("dependents")
          .definedBy(ROOT + "core.dependents..")
          .layer("plan")
          .definedBy(ROOT + "core.plan..")
          .layer("report")
          .definedBy(ROOT + "core.report..")
          .whereLayer("report")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("plan")
          .mayOnlyBeAccessedByLayers("report")
          .whereLayer("dependents")
          .mayOnlyBeAccessedByLayers("plan")
          .whereLayer("pod")
          .mayOnlyBeAccessedByLayers("plan", "dependents")
          .whereLayer("gang")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("queue")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("policy")
          .mayOnlyBeAccessedByLayers("queue", "pod", "dependents", "plan", "report")
          .whereLayer("observe")
          .mayOnlyBeAccessedByLayers("policy", "pod", "dependents", "plan", "report")
          .whereLayer("ledger")
          .mayOnlyBeAccessedByLayers("observe", "policy", "plan", "report");

  /** What decides: no client, framework, logger, thread, file or clock. */
  private static final ArchRule THE_CORE_DOES_NO_IO =
      noClasses()
          .that()
          .resideInAnyPackage(ROOT + "core..", ROOT + "kind..")
          .should()
          .dependOnClassesThat(
              resideInAnyPackage(
                      "io.fabric8.kubernetes.client..",
                      "io.javaoperatorsdk..",
                      "io.quarkus..",
                      "io.micrometer..",
                      "org.jboss.logging..",
                      "java.net..",
                      "java.nio.file..",
                      "java.util.concurrent..")
                  // The form of an object, without anything that talks to a server.
                  .and(DescribedPredicate.not(equivalentTo(CustomResource.class))))
          .orShould()
          .dependOnClassesThat()
          .areAssignableTo(Clock.class);

  /** A kind of job is an adapter: what the engine decides with is the model. */
  private static final ArchRule THE_CORE_KNOWS_NO_API =
      noClasses()
          .that()
          .resideInAPackage(ROOT + "core..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(ROOT + "kind..");

  /**
   * Another kind is a package, and a subclass of the reconciler where all is put together
   * (docs/architecture.md, Add a kind).
   */
  private static final ArchRule NOBODY_BUT_THE_WIRING_KNOWS_A_KIND =
      noClasses()
          .that()
          .resideInAnyPackage(
              ROOT + "core..",
              ROOT + "engine..",
              ROOT + "webhook..",
              ROOT + "https..",
              ROOT + "progress..",
              ROOT + "metrics..",
              ROOT + "tls..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(ROOT + "kind.*..");

  private static final ArchRule KINDS_DO_NOT_KNOW_EACH_OTHER =
      slices().matching("dev.tensorstack.training.kind.(*)..").should().notDependOnEachOther();

  private static final ArchRule NO_TIME_BUT_THE_GIVEN_ONE =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              ROOT + "engine..",
              ROOT + "webhook..",
              ROOT + "https..",
              ROOT + "progress..",
              ROOT + "metrics..",
              ROOT + "tls..",
              ROOT + "runtime..")
          .should()
          .callMethod(java.time.Instant.class, "now")
          .orShould()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(System.class, "nanoTime");

  /** The client's own arithmetic works for minutes on {@code 1e300000000}. */
  private static final ArchRule QUANTITIES_ARE_READ_WITHIN_BOUNDS =
      noClasses()
          .should()
          .callMethodWhere(
              DescribedPredicate.describe(
                  "works with a quantity; BoundedQuantity reads it",
                  call ->
                      call.getTargetOwner().isEquivalentTo(Quantity.class)
                          && !Set.of("toString", "<init>").contains(call.getName())));

  private static final ArchRule NO_CYCLES =
      slices().matching("dev.tensorstack.training.(**)").should().beFreeOfCycles();

  private static final ArchRule NAMES_SAY_WHAT_A_CLASS_IS =
      classes()
          .should()
          .haveSimpleNameNotEndingWith("Utils")
          .andShould()
          .haveSimpleNameNotEndingWith("Impl")
          .andShould()
          .haveSimpleNameNotEndingWith("Manager");

  /** Records that each look at a job compares, or has as keys; docs/operations/native.md. */
  static final DescribedPredicate<JavaClass> COMPARED_RECORDS =
      belongToAnyOf(
              Ledger.class,
              ObjectKind.class,
              ObjectWrite.class,
              PlannedAction.CreatePod.class,
              ReplicaId.class,
              StoredLedger.class)
          .or(
              resideInAnyPackage(
                  ROOT + "kind.trainingjob.v1beta1..", ROOT + "kind.pytorchjob.v1.."))
          .and(DescribedPredicate.describe("records with components", ArchitectureTest::compares))
          .as("records that each look at a job compares");

  private static final ArchRule COMPARED_RECORDS_WRITE_OUT_THEIR_EQUALITY =
      classes().that(COMPARED_RECORDS).should(readEachComponentInEquals());

  private static boolean compares(JavaClass type) {
    return type.isRecord() && type.reflect().getRecordComponents().length > 0;
  }

  private static ArchCondition<JavaClass> readEachComponentInEquals() {
    return new ArchCondition<>("read the field of each component in equals(Object)") {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        Set<JavaField> read =
            type.getMethod("equals", Object.class).getFieldAccesses().stream()
                .flatMap(access -> access.getTarget().resolveMember().stream())
                .collect(Collectors.toSet());
        for (RecordComponent component : type.reflect().getRecordComponents()) {
          // The compiler's own equals reads none: it is made when it is first called.
          if (!read.contains(type.getField(component.getName()))) {
            events.add(
                SimpleConditionEvent.violated(
                    type, type.getName() + ".equals does not look at " + component.getName()));
          }
        }
      }
    };
  }

  @Test
  void theRulesSeeTheOperatorsClasses() {
    assertThat(OPERATOR.contain(Planner.class)).isTrue();
    assertThat(OPERATOR.contain(ArchitectureTest.class)).isFalse();
  }

  @Test
  void packagesDependInOneDirection() {
    PACKAGES_DEPEND_IN_ONE_DIRECTION.check(OPERATOR);
  }

  @Test
  void theCoreDependsInOneDirection() {
    THE_CORE_DEPENDS_IN_ONE_DIRECTION.check(OPERATOR);
  }

  @Test
  void theCoreDoesNoIo() {
    THE_CORE_DOES_NO_IO.check(OPERATOR);
  }

  @Test
  void theCoreKnowsNoApi() {
    THE_CORE_KNOWS_NO_API.check(OPERATOR);
  }

  @Test
  void nobodyButTheWiringKnowsAKind() {
    NOBODY_BUT_THE_WIRING_KNOWS_A_KIND.check(OPERATOR);
  }

  @Test
  void kindsDoNotKnowEachOther() {
    KINDS_DO_NOT_KNOW_EACH_OTHER.check(OPERATOR);
  }

  @Test
  void theCoreKnowsNoTimeButTheGivenOne() {
    NO_TIME_BUT_THE_GIVEN_ONE.check(OPERATOR);
  }

  @Test
  void quantitiesAreReadWithinBounds() {
    QUANTITIES_ARE_READ_WITHIN_BOUNDS.check(OPERATOR);
  }

  @Test
  void thereAreNoCycles() {
    NO_CYCLES.check(OPERATOR);
  }

  @Test
  void comparedRecordsWriteOutTheirEquality() {
    COMPARED_RECORDS_WRITE_OUT_THEIR_EQUALITY.check(OPERATOR);
  }

  @Test
  void namesSayWhatAClassIs() {
    NAMES_SAY_WHAT_A_CLASS_IS.check(OPERATOR);
  }
}
