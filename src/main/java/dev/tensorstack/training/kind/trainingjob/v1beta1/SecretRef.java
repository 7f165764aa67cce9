package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A reference to a Secret in the job's namespace. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record SecretRef(
    @JsonPropertyDescription("The Secret's name.") @Required @Nullable String name) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other || (other instanceof SecretRef that && Objects.equals(name, that.name));
  }
}
