package dev.tensorstack.training.kind;

import static java.util.Objects.requireNonNullElse;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A container of a template and where it stands.
 *
 * @param path for example {@code spec.replicaSpecs[0].template.spec.containers[1]}
 * @param type the replica type that it belongs to
 * @param container the container
 * @param <T> what a kind knows of a replica type
 */
public record PlacedContainer<T>(String path, T type, Container container) {

  /**
   * All containers of a template.
   *
   * @param path where the template stands, such as {@code spec.replicaSpecs[0].template}
   * @param type the replica type that it belongs to
   * @param template the template, or null when there is none
   * @param <T> what a kind knows of a replica type
   * @return those that are not null, the init containers first
   */
  public static <T> List<PlacedContainer<T>> all(
      String path, T type, @Nullable PodTemplateSpec template) {
    List<PlacedContainer<T>> found = new ArrayList<>();
    add(found, path + ".spec.initContainers", type, initContainers(template));
    add(found, path + ".spec.containers", type, containers(template));
    return found;
  }

  /**
   * The containers of a template, as they are listed.
   *
   * @param template the template, or null when there is none
   * @return the list; empty when there is none. Entries may be null
   */
  public static List<Container> containers(@Nullable PodTemplateSpec template) {
    return template == null || template.getSpec() == null
        ? List.of()
        : requireNonNullElse(template.getSpec().getContainers(), List.of());
  }

  /**
   * How many containers the pods of a template have.
   *
   * @param template the template, or null when there is none
   * @return the number, init containers included
   */
  public static int count(@Nullable PodTemplateSpec template) {
    return containers(template).size() + initContainers(template).size();
  }

  private static List<Container> initContainers(@Nullable PodTemplateSpec template) {
    return template == null || template.getSpec() == null
        ? List.of()
        : requireNonNullElse(template.getSpec().getInitContainers(), List.of());
  }

  private static <T> void add(
      List<PlacedContainer<T>> found, String path, T type, List<Container> containers) {
    for (int i = 0; i < containers.size(); i++) {
      if (containers.get(i) != null) {
        found.add(new PlacedContainer<>(path + "[" + i + "]", type, containers.get(i)));
      }
    }
  }
}
