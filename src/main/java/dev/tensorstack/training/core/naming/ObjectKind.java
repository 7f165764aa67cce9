package dev.tensorstack.training.core.naming;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A kind of object of the API, in one version.
 *
 * @param group its API group; empty for the core group
 * @param version the version, like {@code v1}
 * @param kind the kind, like {@code Deployment}
 * @param plural the resource's name in paths, like {@code deployments}
 */
public record ObjectKind(String group, String version, String kind, String plural) {

  /** What serves TensorBoard. */
  public static final ObjectKind DEPLOYMENT =
      new ObjectKind("apps", "v1", "Deployment", "deployments");

  /** What gives TensorBoard its name. */
  public static final ObjectKind SERVICE = new ObjectKind("", "v1", "Service", "services");

  /** What scales elastic jobs. */
  public static final ObjectKind AUTOSCALER =
      new ObjectKind("autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers");

  /** The kinds that every cluster serves. */
  public static final List<ObjectKind> BESIDE_PODS = List.of(DEPLOYMENT, SERVICE, AUTOSCALER);

  /**
   * Group and version as objects write them.
   *
   * @return {@code group/version}, or the version alone for the core group
   */
  public String apiVersion() {
    return group.isEmpty() ? version : group + "/" + version;
  }

  /**
   * The kind as people write it.
   *
   * @return {@code Deployment.apps}
   */
  @Override
  public String toString() {
    return group.isEmpty() ? kind : kind + "." + group;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof ObjectKind that
            && Objects.equals(group, that.group)
            && Objects.equals(version, that.version)
            && Objects.equals(kind, that.kind)
            && Objects.equals(plural, that.plural));
  }
}
