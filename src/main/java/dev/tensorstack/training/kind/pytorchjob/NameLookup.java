package dev.tensorstack.training.kind.pytorchjob;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.List;

/**
 * Asks for the master's name with {@code nslookup}, two seconds apart.
 *
 * @param image the image, which has a shell and nslookup
 * @param tries how often it asks before it fails
 */
public record NameLookup(String image, int tries) implements MasterWait {

  @Override
  public List<Container> containers(String master) {
    return List.of(
        new ContainerBuilder()
            .withName(CONTAINER)
            .withImage(image)
            .withImagePullPolicy("IfNotPresent")
            .withCommand(
                "sh",
                "-c",
                // Several versions of nslookup end with 1 when the name is unknown in one of the
                // search domains, though it is known in another: what they print decides.
                "tries="
                    + tries
                    + "; until nslookup "
                    + master
                    + " 2>/dev/null | grep -q '^Name:'; do tries=$((tries - 1));"
                    + " if [ $tries -le 0 ]; then echo '"
                    + master
                    + " is not in DNS' >&2; exit 1; fi; echo 'waiting for "
                    + master
                    + "'; sleep 2; done")
            .withNewResources()
            .addToLimits("cpu", new Quantity("100m"))
            .addToLimits("memory", new Quantity("20Mi"))
            .addToRequests("cpu", new Quantity("50m"))
            .addToRequests("memory", new Quantity("10Mi"))
            .endResources()
            .build());
  }
}
