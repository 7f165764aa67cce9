package dev.tensorstack.training.operator;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/**
 * Against the native binary, only the tests of some packages run (profile {@code native} in the
 * pom): the others must not start an operator, or it would be tested as a jar only.
 */
class PackagedOperatorTest {

  @Test
  void testsThatStartAnOperatorAreInThesePackages() {
    noClasses()
        .that()
        .haveSimpleNameEndingWith("IT")
        .and()
        .resideOutsideOfPackages("..operator", "..chart", "..docs")
        .should()
        .callMethodWhere(
            DescribedPredicate.describe(
                "starts an operator",
                call ->
                    call.getTargetOwner().isEquivalentTo(OperatorProcess.class)
                        && call.getName().matches("(start|launch).*")))
        .orShould()
        .beAnnotatedWith(OperatorTest.class)
        .check(
            new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.ONLY_INCLUDE_TESTS)
                .importPackages("dev.tensorstack.training"));
  }
}
