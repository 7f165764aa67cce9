package dev.tensorstack.training;

import static com.tngtech.archunit.lang.conditions.ArchConditions.be;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The test sources' folders and which of them may use which; docs/architecture.md. */
class SourceFoldersTest {

  private static final List<String> FOLDERS = List.of("testkit", "tools", "test", "it");

  private static final JavaClasses TESTS =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.ONLY_INCLUDE_TESTS)
          .importPackages("dev.tensorstack.training");

  @ParameterizedTest
  @CsvSource({
    "testkit, tools",
    "testkit, test",
    "testkit, it",
    "tools, test",
    "tools, it",
    "test, it"
  })
  void aFolderDoesNotUseThoseAboveIt(String folder, String above) {
    ArchRuleDefinition.noClasses()
        .that(areIn(folder))
        .should()
        .dependOnClassesThat(areIn(above))
        .check(TESTS);
  }

  @Test
  void testsThatNeedAControlPlaneAreInAFolderOfTheirOwn() {
    ArchRuleDefinition.classes()
        .that()
        .haveSimpleNameEndingWith("IT")
        .should(be(areIn("it")))
        .check(TESTS);
  }

  @Test
  void unitTestsAreWhereNobodyUsesThem() {
    ArchRuleDefinition.classes()
        .that()
        .haveSimpleNameEndingWith("Test")
        .and()
        .areNotAnnotations()
        .should(be(areIn("test")))
        .check(TESTS);
  }

  @Test
  void eachClassIsInOneOfTheFolders() {
    assertThat(TESTS).isNotEmpty();
    assertThat(TESTS).allSatisfy(type -> assertThat(folder(type)).as(type.getName()).isPresent());
  }

  private static DescribedPredicate<JavaClass> areIn(String folder) {
    return DescribedPredicate.describe(
        "in src/" + folder, type -> folder(type).filter(folder::equals).isPresent());
  }

  /** The folder below {@code src} that has the class's source; empty for classes of others. */
  private static Optional<String> folder(JavaClass type) {
    Optional<String> file = type.getSource().flatMap(source -> source.getFileName());
    String path = type.getPackageName().replace('.', '/') + "/" + file.orElse("");
    return Stream.of(file)
        .flatMap(Optional::stream)
        .flatMap(name -> FOLDERS.stream())
        .filter(folder -> Files.isRegularFile(Path.of("src", folder, "java").resolve(path)))
        .findFirst();
  }
}
