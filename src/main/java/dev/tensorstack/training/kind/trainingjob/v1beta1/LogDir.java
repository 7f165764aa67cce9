package dev.tensorstack.training.kind.trainingjob.v1beta1;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Sources of training logs; several may be given. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record LogDir(
    @JsonPropertyDescription("Directories in persistent volume claims.") @Size(max = 64)
        @Nullable List<PvcLogs> pvc,
    @JsonPropertyDescription("Prefixes in an S3 object store.") @Nullable S3Logs s3,
    @JsonPropertyDescription("Logs served over HTTP.") @Nullable HttpLogs http) {

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof LogDir that
            && Objects.equals(pvc, that.pvc)
            && Objects.equals(s3, that.s3)
            && Objects.equals(http, that.http));
  }
}
