package dev.tensorstack.training.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tensorstack.training.kind.trainingjob.admission.Defaulter;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

/** Reads the spec of a job out of JSON, as the controller will read it. */
final class JobReader {

  private static final PyTorchTrainingJobSpec EMPTY =
      new PyTorchTrainingJobSpec(null, null, null, null, null, null, null);

  private final KubernetesSerialization serialization;

  JobReader(KubernetesSerialization serialization) {
    this.serialization = serialization;
  }

  /**
   * A spec, or why there is none.
   *
   * @param spec the spec as the user gave it; empty when there is none, or when it is unreadable
   * @param unreadable the field that no Java type can hold, and why; null when all was read
   */
  record Reading(PyTorchTrainingJobSpec spec, @Nullable String unreadable) {}

  /** Reads the spec of a job's JSON. */
  Reading read(JsonNode job) {
    ObjectNode bare = JsonNodeFactory.instance.objectNode();
    bare.set("spec", job.path("spec"));
    PyTorchTrainingJob read = serialization.unmarshal(bare.toString(), PyTorchTrainingJob.class);
    PyTorchTrainingJobSpec spec = read.getSpec();
    return new Reading(spec == null ? EMPTY : spec, read.unreadable());
  }

  /**
   * The spec that a change starts from.
   *
   * @return the stored spec with all defaults; null at creation, and when it cannot be read: then
   *     there is nothing that a change could be compared with
   */
  @Nullable PyTorchTrainingJobSpec stored(AdmissionCall call, Defaulter defaulter) {
    PyTorchTrainingJobSpec stored = stored(call);
    return stored == null ? null : defaulter.complete(stored);
  }

  /** The same as it is stored, without the defaults that it may lack. */
  @Nullable PyTorchTrainingJobSpec stored(AdmissionCall call) {
    if (call.old() == null || !call.oldIsWhole()) {
      return null;
    }
    Reading old = read(call.old());
    return old.unreadable() == null ? old.spec() : null;
  }
}
