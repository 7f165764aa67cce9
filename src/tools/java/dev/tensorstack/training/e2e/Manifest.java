package dev.tensorstack.training.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The manifest of a job whose pods fit pod security {@code restricted}; a builder, so that a test
 * says only what matters to it.
 */
final class Manifest {

  /** Where the shared volume is, in the pods. */
  static final String DATA = "/data";

  private static final String SPREAD =
      """
      topologySpreadConstraints:
      - maxSkew: 1
        topologyKey: kubernetes.io/hostname
        whenUnsatisfiable: %s
        labelSelector: {matchLabels: {tensorstack.dev/owner-name: %s}}
      """;

  /** What an image does not have is installed; without a way out it has to be in there. */
  private static final String SCRIPT_VOLUMES =
      """
      initContainers:
      - name: dependencies
        image: %s
        command:
        - sh
        - -c
        - >-
          python3 -c "from importlib.util import find_spec as has; exit(not has('sklearn'))"
          || python3 -m pip install --no-cache-dir --target /dependencies scikit-learn
        env:
        - {name: HOME, value: /tmp}
        securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
        volumeMounts:
        - {name: dependencies, mountPath: /dependencies}
      volumes:
      - name: script
        configMap: {name: digits}
      - name: dependencies
        emptyDir: {}
      """;

  private final String name;
  private final List<String> spec = new ArrayList<>();
  private final List<String> replicas = new ArrayList<>();

  private Manifest(String name) {
    this.name = name;
  }

  /** The manifest of a job of this name. */
  static Manifest job(String name) {
    return new Manifest(name);
  }

  /** Adds fields of {@code spec}, as YAML. */
  Manifest with(String yaml) {
    spec.add(yaml.strip());
    return this;
  }

  /**
   * Adds a replica type whose pods run a command.
   *
   * @param type the type
   * @param count how many
   * @param pod the pods
   * @return this
   */
  Manifest replicas(String type, int count, PodText pod) {
    return replicas(type, count, "", pod);
  }

  /**
   * Adds a replica type.
   *
   * @param type the type
   * @param count how many
   * @param fields more fields of the entry, as YAML
   * @param pod the pods
   * @return this
   */
  Manifest replicas(String type, int count, String fields, PodText pod) {
    String entry =
        """
        - type: %s
          replicas: %d
          restartPolicy: OnFailure
        """
            .formatted(type, count);
    replicas.add(
        entry
            + (fields.isBlank() ? "" : fields.strip().indent(2))
            + "  template:\n    spec:\n"
            + pod.yaml(name).indent(6));
    return this;
  }

  /** The whole text. */
  String yaml() {
    return """
        apiVersion: batch.tensorstack.dev/v1beta1
        kind: PyTorchTrainingJob
        metadata:
          name: %s
        spec:
        """
            .formatted(name)
        + String.join("\n", spec).indent(2)
        + "  replicaSpecs:\n"
        + String.join("", replicas).indent(2);
  }

  /** The ConfigMap {@code digits} with the script of the examples. */
  static String digitsScript() {
    try {
      return """
          apiVersion: v1
          kind: ConfigMap
          metadata:
            name: digits
          data:
            train.py: |
          """
          + Files.readString(Path.of("examples/digits/train.py")).indent(4);
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  /** Pods of a job, as text. */
  static final class PodText {

    private final String container;
    private final List<String> more = new ArrayList<>();
    private String memory = "1Gi";
    private boolean data;
    private boolean script;
    private boolean spread;

    private PodText(String container) {
      this.container = container;
    }

    /** Pods that run a Python program, given on the command line. */
    static PodText python(String program) {
      return new PodText("command: [python3, -c]\nargs:\n- |\n" + program.strip().indent(2));
    }

    /** Pods that run until they are told to end. */
    static PodText runs() {
      return python(
          """
          import signal
          signal.signal(signal.SIGTERM, lambda *_: exit(143))
          signal.pause()
          """);
    }

    /** Pods that train digits; without torchrun. */
    static PodText digits(String... options) {
      return script("command: [python3]\n", options);
    }

    /** Pods that train digits, started by torchrun. */
    static PodText torchrunDigits(String... options) {
      return script("", options);
    }

    private static PodText script(String command, String... options) {
      StringBuilder text = new StringBuilder(command).append("args:\n- /opt/digits/train.py\n");
      for (String option : options) {
        text.append("- ").append(option).append('\n');
      }
      PodText pod = new PodText(text.toString());
      pod.script = true;
      return pod;
    }

    /** Limits the memory of the container. */
    PodText memory(String limit) {
      memory = limit;
      return this;
    }

    /** Mounts the claim {@code data}. */
    PodText withData() {
      data = true;
      return this;
    }

    /** Puts the pods of the job on different nodes, or they wait. */
    PodText onDifferentNodes() {
      spread = true;
      return this;
    }

    /** Adds fields of the pod's spec, as YAML. */
    PodText with(String yaml) {
      more.add(yaml.strip());
      return this;
    }

    private String yaml(String job) {
      String image = Settings.pytorchImage();
      StringBuilder yaml = new StringBuilder();
      yaml.append(
          """
          terminationGracePeriodSeconds: 10
          securityContext:
            runAsNonRoot: true
            runAsUser: 1000
            runAsGroup: 1000
            fsGroup: 1000
            seccompProfile: {type: RuntimeDefault}
          """);
      if (spread) {
        yaml.append(SPREAD.formatted("DoNotSchedule", job));
      }
      more.forEach(fields -> yaml.append(fields).append('\n'));
      String volumes = script ? SCRIPT_VOLUMES.formatted(image) : "";
      if (data) {
        volumes +=
            (script ? "" : "volumes:\n")
                + "- name: data\n  persistentVolumeClaim: {claimName: data}\n";
      }
      yaml.append(volumes);
      yaml.append(
          """
          containers:
          - name: python
            image: %s
            env:
            - {name: HOME, value: /tmp}
            - {name: USER, value: user}
            - {name: PYTHONPATH, value: /dependencies}
            - {name: OMP_NUM_THREADS, value: "1"}
            - name: JOB_UID
              valueFrom: {fieldRef: {fieldPath: "metadata.labels['batch.tensorstack.dev/job-uid']"}}
            - name: ATTEMPT
              valueFrom: {fieldRef: {fieldPath: "metadata.labels['batch.tensorstack.dev/attempt']"}}
            securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
            resources:
              requests: {cpu: 50m, memory: 64Mi}
              limits: {memory: %s}
          """
              .formatted(image, memory));
      yaml.append(container.indent(2));
      if (script || data) {
        yaml.append("  volumeMounts:\n");
      }
      if (script) {
        yaml.append("  - {name: script, mountPath: /opt/digits, readOnly: true}\n");
        yaml.append("  - {name: dependencies, mountPath: /dependencies}\n");
      }
      if (data) {
        yaml.append("  - {name: data, mountPath: ").append(DATA).append("}\n");
      }
      return yaml.toString();
    }
  }
}
