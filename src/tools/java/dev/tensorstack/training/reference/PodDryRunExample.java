package dev.tensorstack.training.reference;

import java.nio.file.Path;

/** A job whose pods the API server calls invalid; the documentation shows it. */
public final class PodDryRunExample {

  /** The manifest. */
  public static final Path FILE = Path.of("examples/invalid/pod-dry-run.yaml");

  /** What {@code kubectl apply} prints: the API server's words, with fields of the job. */
  public static final String ANSWER =
      """
      The PyTorchTrainingJob "pod-dry-run" is invalid:\s
      * spec.replicaSpecs[0].template.spec.containers[0].image: Required value
      * spec.replicaSpecs[0].template.spec.containers[0].volumeMounts[0].name: Not found: "datasets"
      """;

  private PodDryRunExample() {}
}
