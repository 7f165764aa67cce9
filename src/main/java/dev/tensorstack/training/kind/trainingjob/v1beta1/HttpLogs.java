package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Training logs served over HTTP. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record HttpLogs(
    @JsonPropertyDescription("Addresses of the logs.") @Size(max = 64) @Nullable List<String> url) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other || (other instanceof HttpLogs that && Objects.equals(url, that.url));
  }
}
