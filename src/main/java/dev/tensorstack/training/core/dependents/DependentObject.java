package dev.tensorstack.training.core.dependents;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.tensorstack.training.core.model.GangMembers;
import dev.tensorstack.training.core.model.GangScheduler;
import dev.tensorstack.training.core.naming.Labels;
import dev.tensorstack.training.core.naming.ObjectKind;
import dev.tensorstack.training.core.observe.OwnedBy;
import dev.tensorstack.training.core.observe.TrainingJob;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An object beside a job's pods, as it is applied: what the operator wants of it and nothing else.
 */
public final class DependentObject {

  private static final ObjectMapper CANONICAL =
      new ObjectMapper().configure(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS, true);

  /** Half of a SHA-256: no two wishes of a job are ever taken for the same. */
  private static final int MARK_BYTES = 16;

  /** The finalizer of Kubernetes' own garbage collector for deletion in the foreground. */
  private static final String AFTER_DEPENDENTS = "foregroundDeletion";

  private DependentObject() {}

  /**
   * The PodGroup of a job, in which all its pods are.
   *
   * @param job a job without violations
   * @param kind the kind to make, one that the job's scheduler knows
   * @param members the pods of the gang
   * @return the object to apply
   * @throws IllegalArgumentException when the job's scheduler does not know the kind
   */
  public static GenericKubernetesResource podGroup(
      TrainingJob job, ObjectKind kind, GangMembers members) {
    GangScheduler scheduler = job.spec().scheduler();
    GenericKubernetesResource group =
        of(job, kind, job.names().podGroup(), scheduler.podGroup(kind, members));
    Map<String, String> annotations = new LinkedHashMap<>(scheduler.groupAnnotations());
    annotations.putAll(group.getMetadata().getAnnotations());
    group.getMetadata().setAnnotations(annotations);
    return group;
  }

  /**
   * A job's entry in its queue. Kubernetes removes it after the pods that it owns as well, when the
   * job is deleted: until then what the entry holds is in use. That needs no operator
   * (https://kubernetes.io/docs/concepts/architecture/garbage-collection/).
   *
   * @param job a job that waits in a queue
   * @param kind the kind to make, one that the queue knows
   * @param name its name
   * @param spec its spec: maps, lists, texts, numbers and booleans, without nulls
   * @param labels labels that it has beside those of all objects of a job
   * @return the object to apply
   */
  public static GenericKubernetesResource queueEntry(
      TrainingJob job,
      ObjectKind kind,
      String name,
      Map<String, Object> spec,
      Map<String, String> labels) {
    GenericKubernetesResource entry = of(job, kind, name, spec);
    Map<String, String> all = new LinkedHashMap<>(entry.getMetadata().getLabels());
    all.putAll(labels);
    entry.getMetadata().setLabels(all);
    entry.getMetadata().setFinalizers(List.of(AFTER_DEPENDENTS));
    return entry;
  }

  /**
   * Makes one.
   *
   * @param job the job that owns it
   * @param kind its kind
   * @param name its name
   * @param spec its spec: maps, lists, texts, numbers and booleans, without nulls
   * @return the object to apply, with the labels and the owner that all objects of a job have
   */
  static GenericKubernetesResource of(
      TrainingJob job, ObjectKind kind, String name, Map<String, Object> spec) {
    GenericKubernetesResource object = new GenericKubernetesResource();
    object.setApiVersion(kind.apiVersion());
    object.setKind(kind.kind());
    object.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace(job.namespace())
            .withName(name)
            .withLabels(job.labels().ofObjects())
            // What is taken out of the wish cannot be seen in the object; the mark tells.
            .withAnnotations(Map.of(Labels.APPLIED, markOf(spec)))
            .withOwnerReferences(OwnedBy.job(job))
            .build());
    object.setAdditionalProperty("spec", spec);
    return object;
  }

  /** The same for the same wish, in whatever order its fields were put together. */
  private static String markOf(Map<String, Object> spec) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(CANONICAL.writeValueAsBytes(spec));
      return HexFormat.of().formatHex(digest, 0, MARK_BYTES);
    } catch (JsonProcessingException | NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(
          "maps of plain values, and a digest of every JDK", impossible);
    }
  }
}
