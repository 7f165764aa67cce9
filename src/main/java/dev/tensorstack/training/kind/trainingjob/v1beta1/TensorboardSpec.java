package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A TensorBoard that serves the job's logs. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record TensorboardSpec(
    @JsonPropertyDescription(
            "The image that holds TensorBoard. Default: t9kpublic/tensorboard:2.17.0.")
        @Nullable String image,
    @JsonPropertyDescription("Where the logs are.") @Nullable LogDir logDir,
    @JsonPropertyDescription(
            "Older way to say where the logs are: t9k://pvc/<claim>/<path> or t9k://minio/<secret>/<bucket>/<path>.")
        @Size(max = 64)
        @Nullable List<String> trainingLogFilesets,
    @JsonPropertyDescription("Resources of the TensorBoard container.")
        @Nullable ResourceRequirements resources,
    @JsonPropertyDescription("Stop TensorBoard and keep its settings. Default false.")
        @Nullable Boolean suspend) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof TensorboardSpec that
            && Objects.equals(image, that.image)
            && Objects.equals(logDir, that.logDir)
            && Objects.equals(trainingLogFilesets, that.trainingLogFilesets)
            && Objects.equals(resources, that.resources)
            && Objects.equals(suspend, that.suspend));
  }
}
