package dev.tensorstack.training.kind.pytorchjob.v1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One setting of the rendezvous. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RdzvConf(
    @JsonPropertyDescription("The name.") @Nullable String key,
    @JsonPropertyDescription("The value.") @Nullable String value) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof RdzvConf that
            && Objects.equals(key, that.key)
            && Objects.equals(value, that.value));
  }
}
