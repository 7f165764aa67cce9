package dev.tensorstack.training.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.reference.ConfigurationReference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the documentation names exists: settings, metrics, reasons, messages. */
class NamesTest {

  private static final Path TROUBLESHOOTING = Path.of("docs/operations/troubleshooting.md");
  private static final Pattern SETTING = Pattern.compile("\\bOPERATOR_[A-Z_]+[A-Z]\\b");
  private static final Pattern METRIC = Pattern.compile("\\bpytorchtrainingjob_[a-z_]+[a-z]\\b");
  private static final Pattern CAMEL_CASE = Pattern.compile("[A-Z][a-z]+([A-Z][a-z]+)+");

  /** A row of a table, its first cell. */
  private static final Pattern ROW = Pattern.compile("^\\| (.*?) \\|.*");

  /** EnumNames of others: Kubernetes, Prometheus, Kueue, kind. */
  private static final Set<String> FOREIGN =
      Set.of(
          "ConfigMap",
          "ContainerCreating",
          "CrashLoopBackOff",
          "ErrImagePull",
          "FailedScheduling",
          "ImagePullBackOff",
          "LocalQueue",
          "NetworkPolicy",
          "NotReady",
          "ReadWriteMany",
          "ReadWriteOnce",
          "ResourceQuota",
          "ServiceMonitor",
          "SchedulingGated",
          "StorageClass");

  @Test
  void everySettingThatIsNamedExists() {
    Set<String> known =
        ConfigurationReference.settings().stream()
            .map(ConfigurationReference.Setting::environmentVariable)
            .collect(Collectors.toSet());
    assertThat(known).hasSizeGreaterThan(15);
    assertThat(named(SETTING, name -> known.contains(name))).isEmpty();
  }

  @Test
  void everyMetricThatIsNamedExists() throws IOException {
    String reference = Files.readString(Path.of("docs/reference/metrics.md"));
    assertThat(
            named(
                METRIC,
                name ->
                    reference.contains(
                        "`" + name.replaceFirst("_(bucket|sum|count|max)$", "") + "`")))
        .isEmpty();
  }

  private static List<String> named(Pattern pattern, java.util.function.Predicate<String> known) {
    List<String> unknown = new ArrayList<>();
    for (Page page : Page.all()) {
      String code =
          page.blocks().stream().map(CodeBlock::text).collect(Collectors.joining("\n"))
              + String.join("\n", page.words());
      pattern
          .matcher(code)
          .results()
          .map(MatchResult::group)
          .filter(known.negate())
          .forEach(name -> unknown.add(page.file() + ": " + name));
    }
    return unknown;
  }

  @Test
  void everyReasonThatATaskOrARemedyNamesExists() throws IOException {
    String sources = sources();
    List<String> unknown = new ArrayList<>();
    for (Page page : Page.all()) {
      if (page.file().startsWith("docs/tasks")
          || page.file().equals(TROUBLESHOOTING)
          || page.file().equals(Path.of("docs/getting-started.md"))) {
        for (String word : page.words()) {
          if (CAMEL_CASE.matcher(word).matches()
              && !FOREIGN.contains(word)
              && !sources.contains(word)) {
            unknown.add(page.file() + ": " + word);
          }
        }
      }
    }
    assertThat(unknown).isEmpty();
  }

  /**
   * In tables whose first column is headed "The operator says", all that stands in backticks is in
   * the sources, but for what {@code …} and words in capitals stand for.
   */
  @Test
  void everyMessageInTheTroubleshootingIsOneOfTheOperator() throws IOException {
    String sources = sources();
    Set<String> unknown = new TreeSet<>();
    int messages = 0;
    boolean ours = false;
    for (String line : Page.read(TROUBLESHOOTING).prose().lines().toList()) {
      var row = ROW.matcher(line);
      if (!row.matches()) {
        ours &= line.startsWith("|");
        continue;
      }
      String first = row.group(1);
      ours |= first.equals("The operator says");
      if (!ours) {
        continue;
      }
      for (String message : Page.of(TROUBLESHOOTING, first).words()) {
        messages++;
        for (String part : message.split("…|\\b[A-Z]{2,}\\b", -1)) {
          String words = part.strip().replaceAll("^\\W+|\\W+$", "");
          if (!sources.contains(words)) {
            unknown.add(words);
          }
        }
      }
    }
    assertThat(unknown).isEmpty();
    assertThat(messages).isGreaterThan(15);
  }

  /** All that the operator and the chart are made of, each string literal in one piece. */
  private static String sources() throws IOException {
    StringBuilder text = new StringBuilder();
    for (String folder : List.of("src/main", "helm")) {
      try (Stream<Path> files = Files.walk(Path.of(folder))) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          text.append(Files.readString(file)).append("\n");
        }
      }
    }
    return text.toString()
        .replaceAll("\"\\s*\\+\\s*\"", "")
        .replaceAll("%[sd]", " ")
        .replaceAll("\\\\\"", "\"")
        .replaceAll("\\s+", " ");
  }
}
