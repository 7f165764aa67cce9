package dev.tensorstack.training.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tensorstack.training.core.model.TrainingReport;
import dev.tensorstack.training.engine.ReportReceiver;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reports in the form of Kubeflow's Trainer. */
class ReportReaderTest {

  private static ReportReceiver.Content read(String status) throws Exception {
    return ReportReader.read(
        ("{\"trainerStatus\": " + status + "}").getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void aReportOfTransformersIsRead() throws Exception {
    assertThat(
            read(
                "{\"progressPercentage\": 43, \"estimatedRemainingSeconds\": 8100, \"metrics\":"
                    + " [{\"name\": \"loss\", \"value\": \"0.31\"}], \"lastUpdatedTime\":"
                    + " \"2026-01-01T00:00:00Z\"}"))
        .isEqualTo(
            new ReportReceiver.Content(
                43, 8100L, List.of(new TrainingReport.Metric("loss", "0.31"))));
  }

  @Test
  void eachFieldIsOptionalAndNumbersMayBeWrittenAsSuch() throws Exception {
    assertThat(read("{}")).isEqualTo(new ReportReceiver.Content(null, null, List.of()));
    assertThat(read("{\"progressPercentage\": 43.9, \"metrics\": null, \"future\": {}}").percent())
        .isEqualTo(43);
    assertThat(read("{\"metrics\": [{\"name\": \"loss\", \"value\": 0.5}]}").metrics())
        .containsExactly(new TrainingReport.Metric("loss", "0.5"));
  }

  @Test
  void aLossThatPythonWritesAsNaNIsRead() throws Exception {
    assertThat(
            read("{\"metrics\": [{\"name\": \"loss\", \"value\": NaN}, {\"name\": \"a\", \"value\": -Infinity}]}")
                .metrics())
        .containsExactly(
            new TrainingReport.Metric("loss", "NaN"), new TrainingReport.Metric("a", "-Infinity"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"progressPercentage\": NaN}",
        "{\"progressPercentage\": 101}",
        "{\"progressPercentage\": -1}",
        "{\"progressPercentage\": \"43\"}",
        "{\"progressPercentage\": 1e999999999}",
        "{\"estimatedRemainingSeconds\": 1e300}",
        "{\"metrics\": {}}",
        "{\"metrics\": [{\"name\": \"a\"}]}",
        "{\"metrics\": [{\"name\": 1, \"value\": \"1\"}]}",
        "{\"metrics\": [{\"name\": \"a\", \"value\": {}}]}",
        "[]",
        "{"
      })
  void whatIsNoReportIsRefusedWithTheField(String status) {
    assertThatThrownBy(() -> read(status))
        .isInstanceOf(ReportReader.BadReportException.class)
        .hasMessageMatching("(?s)(trainerStatus\\.|each of trainerStatus|the body).*");
  }

  @Test
  void whatIsStoredIsBoundedAndHarmlessToTerminals() throws Exception {
    String many =
        IntStream.range(0, 200)
            .mapToObj(i -> "{\"name\": \"m" + i + "\", \"value\": \"" + "9".repeat(500) + "\"}")
            .collect(Collectors.joining(","));

    List<TrainingReport.Metric> metrics = read("{\"metrics\": [" + many + "]}").metrics();

    assertThat(metrics).hasSize(ReportReader.METRICS);
    assertThat(metrics).allMatch(metric -> metric.value().length() == ReportReader.VALUE);
    assertThat(
            read("{\"metrics\": [{\"name\": \"\\u001b[31mred\", \"value\": \"1\"},"
                    + " {\"name\": \"\\u001b[31mred\", \"value\": \"2\"}]}")
                .metrics())
        .as("each name once")
        .containsExactly(new TrainingReport.Metric("?[31mred", "1"));
  }
}
