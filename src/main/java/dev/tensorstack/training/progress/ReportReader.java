package dev.tensorstack.training.progress;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.tensorstack.training.core.model.TrainingReport;
import dev.tensorstack.training.engine.ReportReceiver;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a training sends, in the form of Kubeflow's Trainer: {@code {"trainerStatus":
 * {"progressPercentage", "estimatedRemainingSeconds", "metrics": [{"name", "value"}],
 * "lastUpdatedTime"}}}, each field optional. The time is not read: the operator's own clock counts.
 */
final class ReportReader {

  /** So many metrics are kept, the first ones. */
  static final int METRICS = 32;

  /** In characters. */
  static final int NAME = 64;

  /** In characters. */
  static final int VALUE = 64;

  private static final long LONGEST_SECONDS = 100L * 366 * 24 * 3_600;

  /** Python writes NaN and Infinity as they are, and they are what matters most. */
  private static final ObjectMapper JSON =
      JsonMapper.builder().enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS).build();

  private ReportReader() {}

  /** What was sent is no report; the message says why. */
  static final class BadReportException extends Exception {
    private static final long serialVersionUID = 1;

    private final String problem;

    BadReportException(String problem) {
      super(problem);
      this.problem = problem;
    }

    /** What is wrong. */
    String problem() {
      return problem;
    }
  }

  /**
   * Reads a report.
   *
   * @param body JSON
   * @return what it says
   * @throws BadReportException when it is no report
   */
  static ReportReceiver.Content read(byte[] body) throws BadReportException {
    JsonNode root;
    try {
      root = JSON.readTree(body);
    } catch (JacksonException noJson) {
      throw new BadReportException("the body is no JSON: " + noJson.getOriginalMessage());
    } catch (IOException noJson) {
      throw new BadReportException("the body is no JSON");
    }
    JsonNode status = root == null ? null : root.get("trainerStatus");
    if (status == null || !status.isObject()) {
      throw new BadReportException("the body has no object trainerStatus");
    }
    BigDecimal percent = number(status, "progressPercentage", 100);
    BigDecimal remaining = number(status, "estimatedRemainingSeconds", LONGEST_SECONDS);
    return new ReportReceiver.Content(
        percent == null ? null : percent.intValue(),
        remaining == null ? null : remaining.longValue(),
        metrics(status.get("metrics")));
  }

  private static @Nullable BigDecimal number(JsonNode status, String field, long most)
      throws BadReportException {
    JsonNode value = status.get(field);
    if (value == null || value.isNull()) {
      return null;
    }
    String wrong = "trainerStatus." + field + " is no number from 0 to " + most;
    if (!value.isNumber() || (value.isFloatingPointNumber() && !isFinite(value))) {
      throw new BadReportException(wrong);
    }
    // Compared as it is written: 1e999999999 would take for ever as a whole number.
    double approximate = value.doubleValue();
    if (!(approximate >= 0 && approximate <= most)) {
      throw new BadReportException(wrong);
    }
    return BigDecimal.valueOf(approximate);
  }

  private static boolean isFinite(JsonNode value) {
    return Double.isFinite(value.doubleValue());
  }

  private static List<TrainingReport.Metric> metrics(@Nullable JsonNode list)
      throws BadReportException {
    if (list == null || list.isNull()) {
      return List.of();
    }
    if (!list.isArray()) {
      throw new BadReportException("trainerStatus.metrics is no list");
    }
    List<TrainingReport.Metric> metrics = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (JsonNode metric : list) {
      JsonNode name = metric.get("name");
      JsonNode value = metric.get("value");
      if (name == null || !name.isTextual() || value == null || !value.isValueNode()) {
        throw new BadReportException("each of trainerStatus.metrics needs a name and a value");
      }
      String text = printable(value.asText(), VALUE);
      String called = printable(name.textValue(), NAME);
      if (metrics.size() < METRICS && !called.isEmpty() && names.add(called)) {
        metrics.add(new TrainingReport.Metric(called, text));
      }
    }
    return metrics;
  }

  /** What a terminal shows as it is. */
  private static String printable(String text, int longest) {
    String cut = text.length() <= longest ? text : text.substring(0, longest);
    return cut.strip().replaceAll("[^\\x20-\\x7e]", "?");
  }
}
