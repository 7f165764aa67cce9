package dev.tensorstack.training.kind.pytorchjob;

import io.fabric8.kubernetes.api.model.Container;
import java.util.List;

/** How workers wait for the master's name in DNS before they start. */
public interface MasterWait {

  /** The name of the init container. */
  String CONTAINER = "init-pytorch";

  /**
   * The init containers that wait.
   *
   * @param master the master's name
   * @return new containers, in the order in which they run
   */
  List<Container> containers(String master);
}
