package dev.tensorstack.training.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.TrainingReport;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines of a log that are reports. */
class LogPatternTest {

  private static final LogPattern PATTERN =
      new LogPattern("step[ =](?P<step>\\d+).*loss[ =](?P<loss>\\S+)(.* (?P<percent>[\\d.]+)%)?");

  private static List<LogPattern.Found> find(
      LogPattern pattern, String log, @Nullable Instant after) {
    return pattern.read(log, after).found();
  }

  @Test
  void aLineThatMatchesIsAReportOfItsTime() {
    List<LogPattern.Found> found =
        find(
            PATTERN,
            "2026-01-01T00:00:01.123456789Z hello\n"
                + "2026-01-01T00:00:02.5Z epoch 1 step 120 loss 0.31 43.7%\n"
                + "2026-01-01T00:00:03Z step=121 loss=nan\n",
            null);

    assertThat(found)
        .containsExactly(
            new LogPattern.Found(
                Instant.parse("2026-01-01T00:00:02.500Z"),
                43,
                List.of(
                    new TrainingReport.Metric("step", "120"),
                    new TrainingReport.Metric("loss", "0.31"))),
            new LogPattern.Found(
                Instant.parse("2026-01-01T00:00:03Z"),
                null,
                List.of(
                    new TrainingReport.Metric("step", "121"),
                    new TrainingReport.Metric("loss", "nan"))));
  }

  @Test
  void linesThatAreKnownAreNotReportedAgain() {
    String log =
        "2026-01-01T00:00:02Z step 1 loss 1\n2026-01-01T00:00:02.1Z step 2 loss 1\nno time\n\n";

    assertThat(find(PATTERN, log, Instant.parse("2026-01-01T00:00:02Z")))
        .singleElement()
        .extracting(LogPattern.Found::metrics)
        .asString()
        .contains("value=2");
  }

  @Test
  void onlyGroupsThatThereAreAreReported() {
    assertThat(
            find(new LogPattern("(?P<percent>\\d+)/100"), "2026-01-01T00:00:02Z 250/100\n", null))
        .singleElement()
        .isEqualTo(new LogPattern.Found(Instant.parse("2026-01-01T00:00:02Z"), null, List.of()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "(?P<step>((a{100}){100}){100})",
        "(?P<step>(((((a{9}){9}){9}){9}){9}){9})",
        "(?P<step>(a{9}){999})",
        "(?P<step>([^]{5]a{50}){50})",
        "(?P<step>(\\\\p{Greek}{50}){50})",
        "(?P<step>(\\\\Qa{5}\\\\E{50}){50})",
        "(?P<step>a{1000}){3}",
        "(?P<step>a{999999999})"
      })
  void aPatternThatMultipliesIsTooLarge(String text) {
    assertThat(LogPattern.isBounded(text)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "step (?P<step>\\d{1,9})",
        "^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2},\\d{3} step (?P<step>\\d{1,9})",
        "a[{1000}]b{1000}",
        "(?P<loss>[\\d.]+) .{0,10}x",
        "{}",
        "",
        "a{0}"
      })
  void whatPeopleWriteIsNot(String text) {
    assertThat(LogPattern.isBounded(text)).isTrue();
  }

  @Test
  @Timeout(20)
  void noPatternTakesLongerThanTheTextIsLong() {
    LogPattern evil = new LogPattern("(a|aa)+(a|aa)+$(?P<step>b)");
    String line = "2026-01-01T00:00:02Z " + "a".repeat(100_000);

    assertThat(find(evil, (line + "\n").repeat(20), null)).isEmpty();
  }
}
