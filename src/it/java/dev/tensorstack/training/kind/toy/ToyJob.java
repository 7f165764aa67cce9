package dev.tensorstack.training.kind.toy;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tensorstack.training.core.ledger.StoredLedger;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Some pods of one image. */
@Group("toys.example.com")
@Version("v1")
public class ToyJob extends CustomResource<ToyJob.Spec, ToyJob.Status> implements Namespaced {

  private static final long serialVersionUID = 1L;

  /**
   * What is to run.
   *
   * @param parts how many pods
   * @param image their image
   * @param pause whether to pause
   */
  public record Spec(int parts, String image, boolean pause) {}

  /**
   * What has become of it.
   *
   * @param mood one word
   * @param story a sentence
   * @param memory what the engine remembers
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Status(String mood, String story, @Nullable StoredLedger memory) {

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other
          || (other instanceof Status that
              && Objects.equals(mood, that.mood)
              && Objects.equals(story, that.story)
              && Objects.equals(memory, that.memory));
    }
  }
}
