package dev.tensorstack.training.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tensorstack.training.kind.JobAdmission;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

/**
 * Reads the spec of a job out of JSON, as the controller will read it.
 *
 * @param <S> the Java type of the spec
 */
final class JobReader<S> {

  /** How the JSON of an object is read. */
  private interface Reader<S> {
    Reading<S> read(String json);
  }

  private final Reader<S> reader;
  private final JobAdmission<?, S> kind;

  private JobReader(Reader<S> reader, JobAdmission<?, S> kind) {
    this.reader = reader;
    this.kind = kind;
  }

  /** A reader of one kind. */
  static <R extends CustomResource<?, ?>, S> JobReader<S> of(
      JobAdmission<R, S> kind, KubernetesSerialization serialization) {
    return new JobReader<>(
        json -> {
          R read = serialization.unmarshal(json, kind.type());
          return new Reading<>(kind.spec(read), kind.unreadable(read));
        },
        kind);
  }

  /**
   * A spec, or why there is none.
   *
   * @param spec the spec as the user gave it; empty when there is none, or when it is unreadable
   * @param unreadable the field that no Java type can hold, and why; null when all was read
   */
  record Reading<S>(S spec, @Nullable String unreadable) {}

  /** Reads the spec of a job's JSON. */
  Reading<S> read(JsonNode job) {
    ObjectNode bare = JsonNodeFactory.instance.objectNode();
    bare.set("spec", job.path("spec"));
    return reader.read(bare.toString());
  }

  /**
   * The spec that a change starts from.
   *
   * @return the stored spec with all defaults; null at creation, and when it cannot be read: then
   *     there is nothing that a change could be compared with
   */
  @Nullable S completed(AdmissionCall call) {
    S stored = stored(call);
    return stored == null ? null : kind.complete(stored, null);
  }

  /** The same as it is stored, without the defaults that it may lack. */
  @Nullable S stored(AdmissionCall call) {
    if (call.old() == null || !call.oldIsWhole()) {
      return null;
    }
    Reading<S> old = read(call.old());
    return old.unreadable() == null ? old.spec() : null;
  }
}
