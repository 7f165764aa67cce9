package dev.tensorstack.training;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.implement;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import dev.tensorstack.training.core.model.GangScheduler;
import dev.tensorstack.training.core.model.JobQueue;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.engine.JobReconciler;
import dev.tensorstack.training.kind.JobAdmission;
import dev.tensorstack.training.kind.JobKind;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.trainingjob.admission.Rules;
import dev.tensorstack.training.kind.trainingjob.admission.Warnings;
import dev.tensorstack.training.runtime.KindWiring;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What docs/architecture.md says has to be touched to add something is all that has to be. */
class RecipesTest {

  private static final String ROOT = "dev.tensorstack.training.";

  private static List<JavaClass> implementations(Class<?> type) {
    return ArchitectureTest.OPERATOR.stream()
        .filter(implement(type))
        .filter(one -> !one.isInterface() && !one.getModifiers().contains(JavaModifier.ABSTRACT))
        .toList();
  }

  @Test
  void aKindIsAPackageAndASubclassOfTheReconcilerWhereAllIsPutTogether() {
    classes()
        .that()
        .implement(JobKind.class)
        .or()
        .implement(JobAdmission.class)
        .should()
        .resideInAPackage(ROOT + "kind.*..")
        .andShould()
        .onlyHaveDependentClassesThat()
        .resideInAnyPackage(ROOT + "kind.*..", ROOT + "runtime..")
        .check(ArchitectureTest.OPERATOR);
    classes()
        .that()
        .areAssignableTo(JobReconciler.class)
        .and()
        .doNotHaveFullyQualifiedName(JobReconciler.class.getName())
        .should()
        .resideInAPackage(ROOT + "runtime..")
        .check(ArchitectureTest.OPERATOR);
    noClasses()
        .that()
        .resideOutsideOfPackage(ROOT + "kind..")
        .and()
        .areNotAssignableTo(JobReconciler.class)
        .and()
        .doNotHaveFullyQualifiedName(KindWiring.class.getName())
        // Named by class: the lists of what the binary reads and writes as JSON, and the settings
        // of
        // a kind.
        .and()
        .haveNameNotMatching(
            ".*[.](NativeTypes|PyTorchJob(NativeTypes|Configuration)|WaitTemplate)")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(ROOT + "kind.*..")
        .check(ArchitectureTest.OPERATOR);
  }

  @Test
  void aGangSchedulerIsAFileThatOnlyTheReaderOfTheSpecAndTheRulesKnow() {
    classes()
        .that()
        .implement(GangScheduler.class)
        .should()
        .resideInAPackage(ROOT + "core.gang..")
        .check(ArchitectureTest.OPERATOR);
    noClasses()
        .that()
        .resideOutsideOfPackages(ROOT + "core.gang..", ROOT + "kind.*..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(ROOT + "core.gang..")
        .check(ArchitectureTest.OPERATOR);
  }

  @Test
  void aKindOfQueueIsAFileThatOnlyTheReaderOfTheSpecKnows() {
    classes()
        .that()
        .implement(JobQueue.class)
        .should()
        .resideInAPackage(ROOT + "core.queue..")
        .check(ArchitectureTest.OPERATOR);
    noClasses()
        .that()
        .resideOutsideOfPackages(ROOT + "core.queue..", ROOT + "kind.*..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(ROOT + "core.queue..")
        .check(ArchitectureTest.OPERATOR);
  }

  /** The lists of rules and of warnings of each kind; what kinds share is in several. */
  private static final Map<Class<?>, List<? extends Rule<?>>> RULES =
      Map.of(
          Rules.class, Rules.ALL,
          dev.tensorstack.training.kind.pytorchjob.admission.Rules.class,
              dev.tensorstack.training.kind.pytorchjob.admission.Rules.ALL);

  private static final Map<Class<?>, List<? extends Warning<?>>> WARNINGS =
      Map.of(
          Warnings.class, new Warnings(AcceleratorResources.DEFAULT).all(),
          dev.tensorstack.training.kind.pytorchjob.admission.Warnings.class,
              new dev.tensorstack.training.kind.pytorchjob.admission.Warnings(null).all());

  @Test
  void aRuleIsAClassAndALine() {
    assertOnlyTheListsKnow(implementations(Rule.class), RULES);
  }

  @Test
  void aWarningIsAClassAndALine() {
    assertOnlyTheListsKnow(implementations(Warning.class), WARNINGS);
  }

  /** Other classes may use constants of a rule, but make none. */
  private static void assertOnlyTheListsKnow(
      List<JavaClass> implemented, Map<Class<?>, ? extends List<?>> lists) {
    Map<String, Set<String>> listed = new TreeMap<>();
    lists.forEach(
        (list, entries) ->
            entries.forEach(
                entry ->
                    listed
                        .computeIfAbsent(entry.getClass().getName(), name -> new TreeSet<>())
                        .add(list.getName())));
    assertThat(implemented)
        .extracting(JavaClass::getName)
        .containsExactlyInAnyOrderElementsOf(listed.keySet());
    assertThat(implemented)
        .allSatisfy(
            one ->
                assertThat(one.getConstructorCallsToSelf())
                    .extracting(call -> call.getOriginOwner().getName())
                    .containsOnlyElementsOf(listed.get(one.getName())));
  }

  @Test
  void aPolicyHasAFileAndATestBesideIt() {
    assertThat(
            ArchitectureTest.OPERATOR.stream()
                .filter(one -> one.getPackageName().equals(ROOT + "core.policy"))
                .filter(
                    one -> one.isTopLevelClass() && !one.getSimpleName().equals("package-info")))
        .isNotEmpty()
        .allSatisfy(
            policy ->
                assertThat(
                        Files.exists(
                            Path.of(
                                "src/test/java", policy.getName().replace('.', '/') + "Test.java")))
                    .as(policy.getSimpleName() + "Test")
                    .isTrue());
  }
}
