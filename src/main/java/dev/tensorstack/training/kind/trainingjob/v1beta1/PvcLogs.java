package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Training logs in a persistent volume claim. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record PvcLogs(
    @JsonPropertyDescription("The claim's name.") @Required @Nullable String name,
    @JsonPropertyDescription("Directories in the claim. Default: its root.") @Size(max = 64)
        @Nullable List<String> subPath) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof PvcLogs that
            && Objects.equals(name, that.name)
            && Objects.equals(subPath, that.subPath));
  }
}
