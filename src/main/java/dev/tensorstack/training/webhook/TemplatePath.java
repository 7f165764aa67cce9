package dev.tensorstack.training.webhook;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Turns a path inside a pod into the path of the job's field that it came from.
 *
 * @param template the job's template
 * @param pod the pod that was made from it
 * @param prefix the template's path, for example {@code spec.replicaSpecs[1].template}
 */
record TemplatePath(PodTemplateSpec template, Pod pod, String prefix) {

  private static final Pattern ENTRY =
      Pattern.compile("spec\\.(initContainers|containers)\\[(\\d{1,6})]\\.env\\[(\\d{1,6})](.*)");

  /**
   * The job's field.
   *
   * @param podField a path such as {@code spec.containers[0].env[4].name}; null or empty for none
   * @return the path in the job; the operator's own environment entries, which come before or after
   *     the user's, are not counted
   */
  String of(String podField) {
    if (podField == null || podField.isEmpty()) {
      return prefix;
    }
    Matcher entry = ENTRY.matcher(podField);
    if (!entry.matches()) {
      return prefix + "." + podField;
    }
    Entries entries = entries(entry);
    int index = entries.given(Integer.parseInt(entry.group(3)));
    return index < 0 ? env(entry) : env(entry) + "[" + index + "]" + entry.group(4);
  }

  /**
   * The user's environment entry that another one of the operator's hides.
   *
   * @param podField the path of the entry that hides
   * @param variable the name of both
   * @return the path of the user's entry in the job; null when the entry that hides is the user's
   */
  @Nullable String hidden(String podField, String variable) {
    Matcher entry = ENTRY.matcher(podField);
    if (!entry.matches()) {
      return null;
    }
    Entries entries = entries(entry);
    if (entries.given(Integer.parseInt(entry.group(3))) >= 0) {
      return null;
    }
    for (int i = entries.given().size() - 1; i >= 0; i--) {
      if (variable.equals(entries.given().get(i).getName())) {
        return env(entry) + "[" + i + "]";
      }
    }
    return null;
  }

  private String env(Matcher entry) {
    return prefix + ".spec." + entry.group(1) + "[" + entry.group(2) + "].env";
  }

  private Entries entries(Matcher entry) {
    boolean init = entry.group(1).equals("initContainers");
    int container = Integer.parseInt(entry.group(2));
    List<Container> made = init ? pod.getSpec().getInitContainers() : pod.getSpec().getContainers();
    List<Container> given =
        init ? template.getSpec().getInitContainers() : template.getSpec().getContainers();
    return container < made.size() && container < given.size()
        ? Entries.of(given.get(container).getEnv(), made.get(container).getEnv())
        : Entries.UNKNOWN;
  }

  /**
   * The environment entries of one container.
   *
   * @param given the user's
   * @param from the place of the first of them in the pod
   * @param known false where the container is not of the template: places are then as in the pod
   */
  private record Entries(List<EnvVar> given, int from, boolean known) {

    private static final Entries UNKNOWN = new Entries(List.of(), 0, false);

    /** The user's are the first of the pod, or the last. */
    static Entries of(List<EnvVar> given, List<EnvVar> made) {
      boolean first = given.size() <= made.size() && given.equals(made.subList(0, given.size()));
      return new Entries(given, first ? 0 : made.size() - given.size(), true);
    }

    /** The place among the user's; negative for one of the operator's. */
    int given(int place) {
      int index = place - from;
      return !known || index < given.size() ? index : -1;
    }
  }
}
