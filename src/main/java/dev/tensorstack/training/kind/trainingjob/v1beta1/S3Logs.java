package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Training logs in an S3 object store. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record S3Logs(
    @JsonPropertyDescription("The Secret with the credentials.") @Nullable SecretRef secretRef,
    @JsonPropertyDescription("Prefixes, each s3://<bucket>/<path>.") @Size(max = 64)
        @Nullable List<String> uri) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof S3Logs that
            && Objects.equals(secretRef, that.secretRef)
            && Objects.equals(uri, that.uri));
  }
}
