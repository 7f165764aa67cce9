package dev.tensorstack.training.kubectl.command;

import dev.tensorstack.training.kubectl.api.ApiException;
import dev.tensorstack.training.kubectl.api.Cluster;
import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.JobKind;
import dev.tensorstack.training.kubectl.submit.Manifests;
import dev.tensorstack.training.kubectl.submit.ScriptFile;
import dev.tensorstack.training.kubectl.submit.Submission;
import dev.tensorstack.training.kubectl.submit.Yaml;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code submit}. */
@Command(
    name = "submit",
    description = {
      "Run a script with torchrun on some nodes: submit train.py --nodes 2 --image IMAGE.",
      "It goes into a ConfigMap that is deleted with the job. --dry-run prints the manifest."
    })
public final class SubmitCommand extends ClusterCommand {

  @Parameters(index = "0", paramLabel = "SCRIPT", description = "The script on this machine.")
  private Path script = Path.of("");

  @Parameters(
      index = "1..*",
      arity = "0..*",
      paramLabel = "ARGUMENT",
      description = "The script's arguments, after --.")
  private List<String> arguments = new ArrayList<>();

  @Option(
      names = "--image",
      paramLabel = "IMAGE",
      required = true,
      description = "The image, with torchrun in it.")
  private String image = "";

  @Option(
      names = {"-N", "--nodes"},
      paramLabel = "N",
      description = "How many nodes; 1, or the least of --elastic, unless given.")
  private @Nullable Integer nodes;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "The job's name; made of the script's unless given.")
  private @Nullable String name;

  @Option(
      names = "--kind",
      paramLabel = "KIND",
      defaultValue = "pj",
      description = "pj (PyTorchTrainingJob) or pytorchjob; ${DEFAULT-VALUE} unless given.")
  private String kind = "pj";

  @Option(
      names = {"--nproc-per-node", "--nproc_per_node"},
      paramLabel = "N",
      description = "Processes on each node: a number, auto, cpu, gpu.")
  private @Nullable String processes;

  @Option(names = "--gpus", paramLabel = "N", description = "Accelerators for each node.")
  private int gpus;

  @Option(
      names = "--gpu-resource",
      paramLabel = "NAME",
      defaultValue = "nvidia.com/gpu",
      description = "The resource that --gpus counts; ${DEFAULT-VALUE} unless given.")
  private String gpuResource = "nvidia.com/gpu";

  @Option(names = "--cpu", paramLabel = "QUANTITY", description = "CPUs for each node.")
  private @Nullable String cpu;

  @Option(names = "--memory", paramLabel = "QUANTITY", description = "Memory for each node.")
  private @Nullable String memory;

  @Option(
      names = {"--max-restarts", "--max_restarts"},
      paramLabel = "N",
      description = "How often torchrun starts its processes again.")
  private @Nullable Integer maxRestarts;

  @Option(
      names = "--restart-policy",
      paramLabel = "POLICY",
      defaultValue = "ExitCode",
      description =
          "When a pod fails: Never, OnFailure, Always, or ExitCode, which starts again what was"
              + " killed or evicted and not what failed by itself; ${DEFAULT-VALUE} unless given.")
  private String restartPolicy = "ExitCode";

  @Option(
      names = "--elastic",
      paramLabel = "MIN:MAX",
      description = "The number of nodes may change between these.")
  private @Nullable String elastic;

  @Option(
      names = "--pvc",
      paramLabel = "CLAIM[:PATH]",
      description = "Mount a claim, at /mnt/CLAIM unless given; may be repeated.")
  private List<String> claims = new ArrayList<>();

  @Option(
      names = "--env",
      paramLabel = "NAME=VALUE",
      description = "A variable of the containers; may be repeated.")
  private List<String> environment = new ArrayList<>();

  @Option(names = "--queue", paramLabel = "NAME", description = "The queue of Kueue to wait in.")
  private @Nullable String queue;

  @Option(names = "--dry-run", description = "Print the manifest as YAML and create nothing.")
  private boolean dryRun;

  @Override
  protected int run(Cluster cluster) throws IOException {
    Submission submission = submission(cluster, ScriptFile.read(script));
    if (dryRun) {
      console
          .out()
          .print(
              Yaml.documents(List.of(Manifests.configMap(submission), Manifests.job(submission))));
      console.out().flush();
      console.tell(
          "applied like this, the ConfigMap "
              + Manifests.configMapName(submission.name())
              + " stays when the job is deleted: delete both");
      return ExitCodes.OK;
    }
    create(cluster, submission);
    return ExitCodes.OK;
  }

  private Submission submission(Cluster cluster, ScriptFile file) {
    JobKind wanted = JobKind.of(kind);
    if (wanted == null) {
      throw new IllegalArgumentException("--kind: write pj or pytorchjob instead of " + kind);
    }
    Submission.Bounds bounds = elastic == null ? null : Submission.Bounds.parse(elastic);
    int count = nodes != null ? nodes : bounds == null ? 1 : bounds.min();
    if (count < 1) {
      throw new IllegalArgumentException("--nodes: at least 1");
    }
    if (bounds != null && (count < bounds.min() || count > bounds.max())) {
      throw new IllegalArgumentException(
          "--nodes: " + count + " is not within --elastic " + elastic);
    }
    return new Submission(
        wanted,
        cluster.namespace(),
        name == null ? file.jobName() : name,
        file.name(),
        file.text(),
        arguments,
        image,
        count,
        bounds,
        processes,
        gpus,
        gpuResource,
        cpu,
        memory,
        maxRestarts,
        restartPolicy,
        claimsByPath(claims),
        variables(environment),
        queue);
  }

  /**
   * The claims by the path where they are mounted.
   *
   * @param claims each {@code CLAIM} or {@code CLAIM:PATH}
   * @return the claims in their order
   * @throws IllegalArgumentException with a sentence for the user
   */
  static Map<String, String> claimsByPath(List<String> claims) {
    Map<String, String> byPath = new LinkedHashMap<>();
    for (String claim : claims) {
      int colon = claim.indexOf(':');
      String claimName = colon < 0 ? claim : claim.substring(0, colon);
      String path = colon < 0 ? "/mnt/" + claimName : claim.substring(colon + 1);
      if (claimName.isEmpty() || !path.startsWith("/")) {
        throw new IllegalArgumentException(
            "--pvc: \"" + claim + "\" is no CLAIM:PATH: write for example data:/data");
      }
      if (byPath.put(path, claimName) != null) {
        throw new IllegalArgumentException("--pvc: two claims at " + path);
      }
    }
    return byPath;
  }

  /**
   * The variables by name.
   *
   * @param variables each {@code NAME=VALUE}
   * @return the variables in their order; a later one wins
   * @throws IllegalArgumentException with a sentence for the user
   */
  static Map<String, String> variables(List<String> variables) {
    Map<String, String> byName = new LinkedHashMap<>();
    for (String variable : variables) {
      int equals = variable.indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException(
            "--env: \"" + variable + "\" is no NAME=VALUE: write for example EPOCHS=3");
      }
      byName.put(variable.substring(0, equals), variable.substring(equals + 1));
    }
    return byName;
  }

  /** The ConfigMap first: pods of the job look for it at once. */
  private void create(Cluster cluster, Submission submission) {
    String configMaps = "/api/v1/namespaces/" + submission.namespace() + "/configmaps";
    String configMap = configMaps + "/" + Manifests.configMapName(submission.name());
    var unused = cluster.create(configMaps, Manifests.configMap(submission));
    Job job;
    try {
      job =
          new Job(
              submission.kind(),
              cluster.create(
                  submission.kind().path(submission.namespace()), Manifests.job(submission)));
    } catch (ApiException e) {
      remove(cluster, configMap);
      throw e;
    }
    console.print(job.kind().qualifiedName() + "/" + job.name() + " created");
    try {
      var alsoUnused =
          cluster.patch(configMap, Manifests.ownedBy(job.kind(), job.name(), job.uid()));
    } catch (ApiException e) {
      console.tell(
          "Warning: the ConfigMap "
              + Manifests.configMapName(job.name())
              + " will stay when the job is deleted: "
              + Failures.inWords(e));
    }
    console.tell("see kubectl pj logs -f " + job.name() + ", kubectl pj why " + job.name());
  }

  private void remove(Cluster cluster, String configMap) {
    try {
      cluster.delete(configMap);
    } catch (ApiException e) {
      console.tell("Warning: the ConfigMap of the script stays: " + Failures.inWords(e));
    }
  }
}
