package dev.tensorstack.training;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.implement;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import dev.tensorstack.training.core.model.GangScheduler;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.engine.JobReconciler;
import dev.tensorstack.training.kind.JobAdmission;
import dev.tensorstack.training.kind.JobKind;
import dev.tensorstack.training.kind.Rule;
import dev.tensorstack.training.kind.Warning;
import dev.tensorstack.training.kind.trainingjob.admission.Rules;
import dev.tensorstack.training.kind.trainingjob.admission.Warnings;
import dev.tensorstack.training.runtime.OperatorWiring;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
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
        .doNotHaveFullyQualifiedName(OperatorWiring.class.getName())
        // Named by class: the list of what the binary reads and writes as JSON.
        .and()
        .doNotHaveFullyQualifiedName(ROOT + "runtime.NativeTypes")
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
  void aRuleIsAClassAndALine() {
    Set<String> listed =
        Rules.ALL.stream().map(rule -> rule.getClass().getName()).collect(Collectors.toSet());
    assertThat(implementations(Rule.class))
        .extracting(JavaClass::getName)
        .containsExactlyInAnyOrderElementsOf(listed);
    assertOnlyTheListKnows(implementations(Rule.class), Rules.class);
  }

  @Test
  void aWarningIsAClassAndALine() {
    List<String> listed =
        new Warnings(AcceleratorResources.DEFAULT)
            .all().stream().map(warning -> warning.getClass().getName()).toList();
    assertThat(implementations(Warning.class))
        .extracting(JavaClass::getName)
        .containsExactlyInAnyOrderElementsOf(listed);
    assertOnlyTheListKnows(implementations(Warning.class), Warnings.class);
  }

  /** Other classes may use constants of a rule, but make none. */
  private static void assertOnlyTheListKnows(List<JavaClass> listed, Class<?> list) {
    assertThat(listed)
        .allSatisfy(
            one ->
                assertThat(one.getConstructorCallsToSelf())
                    .extracting(call -> call.getOriginOwner().getName())
                    .containsOnly(list.getName()));
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
