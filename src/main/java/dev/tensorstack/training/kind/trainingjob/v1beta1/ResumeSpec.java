package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the pods of one type run after a resume. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ResumeSpec(
    @JsonPropertyDescription("The type of a replicaSpec.") @Required @Size(max = 253)
        @Nullable String type,
    @JsonPropertyDescription("Leave out the init containers. Default false.")
        @Nullable Boolean skipInitContainer,
    @JsonPropertyDescription("The command instead of the template's, not empty.") @Size(max = 256)
        @Nullable List<String> command,
    @JsonPropertyDescription("The args instead of the template's.") @Size(max = 1024)
        @Nullable List<String> args) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof ResumeSpec that
            && Objects.equals(type, that.type)
            && Objects.equals(skipInitContainer, that.skipInitContainer)
            && Objects.equals(command, that.command)
            && Objects.equals(args, that.args));
  }
}
