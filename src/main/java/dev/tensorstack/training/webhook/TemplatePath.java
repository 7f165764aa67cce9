package dev.tensorstack.training.webhook;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
   * @return the path in the job; the operator's own environment entries, which come before the
   *     user's, are not counted
   */
  String of(String podField) {
    if (podField == null || podField.isEmpty()) {
      return prefix;
    }
    Matcher entry = ENTRY.matcher(podField);
    if (!entry.matches()) {
      return prefix + "." + podField;
    }
    boolean init = entry.group(1).equals("initContainers");
    int container = Integer.parseInt(entry.group(2));
    int index = Integer.parseInt(entry.group(3)) - operatorsEntries(init, container);
    String env = prefix + ".spec." + entry.group(1) + "[" + container + "].env";
    return index < 0 ? env : env + "[" + index + "]" + entry.group(4);
  }

  private int operatorsEntries(boolean init, int container) {
    List<Container> made = init ? pod.getSpec().getInitContainers() : pod.getSpec().getContainers();
    List<Container> given =
        init ? template.getSpec().getInitContainers() : template.getSpec().getContainers();
    return container < made.size() && container < given.size()
        ? made.get(container).getEnv().size() - given.get(container).getEnv().size()
        : 0;
  }
}
