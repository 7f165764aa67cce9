package dev.tensorstack.training.runtime;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.tensorstack.training.kind.pytorchjob.MasterWait;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;

/**
 * Init containers that an administrator has written, with the three placeholders of Kubeflow's
 * operator ({@code --pytorch-init-container-template-file}).
 *
 * @param yaml a list of containers
 * @param image takes the place of {@code {{.InitContainerImage}}}
 * @param tries takes the place of {@code {{.MaxTries}}}
 */
record WaitTemplate(String yaml, String image, int tries) implements MasterWait {

  private static final TypeReference<List<Container>> CONTAINERS = new TypeReference<>() {};

  /**
   * Reads the template once, so that a wrong one shows at the start.
   *
   * @throws IllegalArgumentException when it is no list of containers with name and image
   */
  WaitTemplate {
    List<Container> containers = read(yaml, image, tries, "master");
    if (containers.stream()
        .anyMatch(one -> one == null || one.getName() == null || one.getImage() == null)) {
      throw new IllegalArgumentException(
          "the template of init containers holds one without name or image");
    }
  }

  @Override
  public List<Container> containers(String master) {
    return read(yaml, image, tries, master);
  }

  private static List<Container> read(String yaml, String image, int tries, String master) {
    String filled =
        yaml.replaceAll("\\{\\{\\s*\\.MasterAddr\\s*}}", Matcher.quoteReplacement(master))
            .replaceAll("\\{\\{\\s*\\.InitContainerImage\\s*}}", Matcher.quoteReplacement(image))
            .replaceAll("\\{\\{\\s*\\.MaxTries\\s*}}", Integer.toString(tries));
    try {
      return Objects.requireNonNullElse(
          Serialization.unmarshal(filled, CONTAINERS), List.<Container>of());
    } catch (RuntimeException problem) {
      throw new IllegalArgumentException(
          "the template of init containers is no list of containers: " + problem.getMessage(),
          problem);
    }
  }
}
