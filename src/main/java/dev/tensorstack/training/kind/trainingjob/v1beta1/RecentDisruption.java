package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A disruption of the last minutes: after the third, replacements wait. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RecentDisruption(
    @JsonPropertyDescription("Type and index, for example worker-1.") @Nullable String replica,
    @JsonPropertyDescription("When its pod was disrupted (RFC 3339).") @Nullable String time) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof RecentDisruption that
            && Objects.equals(replica, that.replica)
            && Objects.equals(time, that.time));
  }
}
