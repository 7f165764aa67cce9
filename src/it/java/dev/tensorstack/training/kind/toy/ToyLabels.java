package dev.tensorstack.training.kind.toy;

import dev.tensorstack.training.core.naming.JobLabels;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All labels below {@code toys.example.com/}. */
record ToyLabels(String job) implements JobLabels {

  static final String JOB = "toys.example.com/job";
  private static final String PART = "toys.example.com/part";
  private static final String ROUND = "toys.example.com/round";
  private static final String FOR = "toys.example.com/for";

  @Override
  public Map<String, String> ofObjects() {
    return Map.of(JOB, job);
  }

  @Override
  public Map<String, String> ofPod(PodRole role, boolean master) {
    return Map.of(
        JOB,
        job,
        PART,
        Integer.toString(role.index()),
        ROUND,
        Integer.toString(role.attempt()),
        FOR,
        role.mode() == null ? "train" : role.mode());
  }

  @Override
  public @Nullable PodRole roleOf(Map<String, String> labels) {
    String part = labels.get(PART);
    return part == null
        ? null
        : new PodRole(
            ToyKind.TYPE,
            Integer.parseInt(part),
            Integer.parseInt(labels.getOrDefault(ROUND, "0")),
            labels.get(FOR),
            null);
  }

  @Override
  public boolean isOperators(String label) {
    return label.startsWith("toys.example.com/");
  }

  @Override
  public Map<String, String> ofPublished() {
    return Map.of(JOB, job);
  }

  @Override
  public Map<String, String> ofUnpublished() {
    return Map.of(JOB, job + "-lost");
  }

  @Override
  public Map.Entry<String, List<String>> ofAllPods() {
    return Map.entry(JOB, List.of(job, job + "-lost"));
  }
}
