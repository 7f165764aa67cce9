package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.SchemaFrom;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** When a training hangs, and what follows. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Progress(
    @JsonPropertyDescription(
            "The first report is expected within this many seconds (at least 1) after all pods run. Default: no limit.")
        @Nullable Long startSeconds,
    @JsonPropertyDescription(
            "A newer step is expected within this many seconds (at least 1) after the one before, while all pods run: several times the interval of the reports. Default: no limit.")
        @Nullable Long stallSeconds,
    @JsonPropertyDescription(
            "So many reports in a row (at least 1) of a loss that is no number are too many. Default: no limit.")
        @Nullable Integer failOnNaN,
    @JsonPropertyDescription(
            "A regular expression (RE2) with the named groups step, loss and percent, or some of them, that finds the reports in the lines of the master's log. Default: the pods report over HTTP.")
        @Nullable String logPattern,
    @JsonPropertyDescription(
            "What happens when a training hangs: Report (default) or Restart. A restart starts all pods anew whatever their restartPolicy says, and costs one of backoffLimit.")
        @SchemaFrom(type = OnHang.class)
        @Nullable String onFailure) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof Progress that
            && Objects.equals(startSeconds, that.startSeconds)
            && Objects.equals(stallSeconds, that.stallSeconds)
            && Objects.equals(failOnNaN, that.failOnNaN)
            && Objects.equals(logPattern, that.logPattern)
            && Objects.equals(onFailure, that.onFailure));
  }
}
