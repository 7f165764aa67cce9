package dev.tensorstack.training.kind.pytorchjob.admission;

import dev.tensorstack.training.kind.PlacedContainer;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaType;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The replica specs of a job and where they stand. */
public final class ReplicaFields {

  /** The field that holds all of them. */
  static final String ALL = "spec.pytorchReplicaSpecs";

  private ReplicaFields() {}

  /** Where a replica spec stands, also one whose type is unknown. */
  static String of(String type) {
    return ALL + "[" + type + "]";
  }

  /** Where a replica spec stands. */
  static String of(ReplicaType type) {
    return of(type.name());
  }

  /**
   * Where a template stands.
   *
   * @param type the replica type
   * @return for example {@code spec.pytorchReplicaSpecs[Worker].template}
   */
  public static String template(ReplicaType type) {
    return of(type) + ".template";
  }

  /**
   * The replica specs whose types are known.
   *
   * @param spec any spec
   * @return the master's first; one that is null is one of which nothing is given
   */
  public static Map<ReplicaType, ReplicaSpec> known(PyTorchJobSpec spec) {
    Map<ReplicaType, ReplicaSpec> known = new EnumMap<>(ReplicaType.class);
    for (ReplicaType type : ReplicaType.values()) {
      if (spec.pytorchReplicaSpecs() != null
          && spec.pytorchReplicaSpecs().containsKey(type.name())) {
        ReplicaSpec given = spec.replicas(type);
        known.put(type, given == null ? new ReplicaSpec(null, null, null) : given);
      }
    }
    return known;
  }

  /** All containers, of each type the init containers first. */
  static List<PlacedContainer<ReplicaType>> containers(PyTorchJobSpec spec) {
    List<PlacedContainer<ReplicaType>> found = new ArrayList<>();
    known(spec)
        .forEach(
            (type, replicas) ->
                found.addAll(PlacedContainer.all(template(type), type, replicas.template())));
    return found;
  }
}
