package dev.tensorstack.training.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.JobPhase;
import dev.tensorstack.training.core.naming.Conditions;
import dev.tensorstack.training.core.naming.Events;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** docs/reference/conditions.md has all words of a job's status and events, and no others. */
class ConditionsPageTest {

  private static final Path PAGE = Path.of("docs/reference/conditions.md");
  private static final Pattern HEADING = Pattern.compile("^## (.*)$");
  private static final Pattern ROW = Pattern.compile("^\\| (`.*?) \\|.*");
  private static final Pattern WORD = Pattern.compile("`([^`]+)`");

  /** The words in the first column of the first table under each heading. */
  private static Map<String, Set<String>> tables() throws IOException {
    Map<String, Set<String>> tables = new TreeMap<>();
    Set<String> words = new TreeSet<>();
    for (String line : Files.readAllLines(PAGE)) {
      Matcher heading = HEADING.matcher(line);
      Matcher row = ROW.matcher(line);
      if (heading.matches()) {
        words = new TreeSet<>();
        tables.put(heading.group(1), words);
      } else if (row.matches()) {
        WORD.matcher(row.group(1)).results().map(found -> found.group(1)).forEach(words::add);
      }
    }
    return tables;
  }

  private static Set<String> constants(Class<?> type) {
    return Arrays.stream(type.getDeclaredFields())
        .filter(field -> Modifier.isPublic(field.getModifiers()))
        .map(
            field -> {
              try {
                return (String) field.get(null);
              } catch (IllegalAccessException hidden) {
                throw new AssertionError(hidden);
              }
            })
        .collect(Collectors.toSet());
  }

  @Test
  void thePhasesAreAllThere() throws IOException {
    assertThat(tables().get("Phases"))
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(JobPhase.values()).map(JobPhase::name).toList());
  }

  @Test
  void theConditionsAreAllThere() throws IOException {
    assertThat(tables().get("Conditions"))
        .containsExactlyInAnyOrderElementsOf(constants(Conditions.class));
  }

  @Test
  void theReasonsAreAllThere() throws IOException {
    assertThat(tables().get("Reasons"))
        .containsExactlyInAnyOrderElementsOf(constants(Conditions.Reasons.class));
  }

  @Test
  void theEventsAreAllThere() throws IOException {
    assertThat(tables().get("Events")).containsExactlyInAnyOrderElementsOf(constants(Events.class));
  }

  @Test
  void noEventHasAReasonOfItsOwn() throws IOException {
    for (String file : List.of("core/report/EventReport.java", "engine/UnreadableJobs.java")) {
      assertThat(Files.readString(Path.of("src/main/java/dev/tensorstack/training", file)))
          .as(file)
          .doesNotContainPattern("new JobEvent\\(\\s*\"");
    }
  }
}
