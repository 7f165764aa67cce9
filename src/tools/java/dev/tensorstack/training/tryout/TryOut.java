package dev.tensorstack.training.tryout;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.controlplane.KubectlResult;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJob;
import dev.tensorstack.training.kind.trainingjob.spec.JobNames;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.localnode.LocalNode;
import dev.tensorstack.training.localnode.LocalNodeOptions;
import dev.tensorstack.training.operator.OperatorProcess;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs a manifest on this machine, without a cluster: a real control plane, the packaged operator,
 * and a node that runs pods as local processes.
 *
 * <p>Started by {@code ./mvnw -Ptry}. Exit code: 0 when all jobs of the manifest succeeded, 1 when
 * one did not, 2 when the manifest was refused or something is missing on this machine.
 */
public final class TryOut {

  private static final String NAMESPACE = "default";
  private static final int VOLUMES = 8;

  /** The volume claim of {@code examples/digits-elastic.yaml}. */
  private static final String CLAIM = "digits";

  /** In that volume: the training goes on while this file is there. */
  private static final String GO_ON = "go-on";

  /**
   * There is no DNS for init containers to ask: the node puts a pod's address where a process is
   * told its name.
   */
  private static final Map<String, String> SETTINGS =
      Map.of("OPERATOR_PYTORCHJOB_INIT_CONTAINER_ENABLED", "false");

  private static final FollowedKind<PyTorchTrainingJob> TRAINING_JOB = new FollowedTrainingJob();
  private static final FollowedKind<PyTorchJob> PYTORCH_JOB = new FollowedPyTorchJob();

  private static final String ACCURACY_CURVE = "test/accuracy";
  private static final Duration TENSORBOARD_LIMIT = Duration.ofMinutes(2);

  private final Path manifest;
  private final boolean keep;
  private final boolean pause;
  private final boolean elastic;
  private final int failures;
  private final Path directory;
  private final PrintStream out;
  private final Instant begin = Instant.now();

  private TryOut(
      Path manifest,
      boolean keep,
      boolean pause,
      boolean elastic,
      int failures,
      Path directory,
      PrintStream out) {
    this.manifest = manifest;
    this.keep = keep;
    this.pause = pause;
    this.elastic = elastic;
    this.failures = failures;
    this.directory = directory;
    this.out = out;
  }

  /**
   * Runs the try-out and ends the JVM.
   *
   * @param arguments none; the system properties {@code manifest} (a file), {@code keep} (true:
   *     leave all up at the end), {@code pause} (true: pause each job once and resume it; a
   *     PyTorchJob is suspended), {@code steps} ({@code elastic}: scale the job, and kill a worker
   *     and the master; {@code failures}: instead of the manifest, jobs in each of which one
   *     process of torchrun fails, {@code runs} of them on two nodes and as many on four) and
   *     {@code directory} (where logs go) say what to do
   * @throws Exception when something unforeseen happens
   */
  public static void main(String[] arguments) throws Exception {
    String manifest = System.getProperty("manifest", "examples/digits-elastic.yaml");
    String steps = System.getProperty("steps", "none");
    if (!List.of("none", "elastic", "failures").contains(steps)) {
      System.err.println(
          "-Dsteps="
              + steps
              + " is not known: write -Dsteps=elastic or -Dsteps=failures, or leave it");
      System.exit(2);
    }
    String keep = System.getProperty("keep", "false");
    TryOut tryOut =
        new TryOut(
            Path.of(manifest),
            !keep.equals("false"),
            !System.getProperty("pause", "false").equals("false"),
            steps.equals("elastic"),
            steps.equals("failures") ? Integer.getInteger("runs", 20) : 0,
            Path.of(System.getProperty("directory", "target/try")).toAbsolutePath(),
            System.out);
    int exitCode;
    try {
      exitCode = tryOut.run();
    } catch (PythonEnvironmentException
        | dev.tensorstack.training.controlplane.ControlPlaneException missing) {
      System.err.println(missing.getMessage());
      exitCode = 2;
    } catch (StepFailedException failed) {
      System.err.println("FAILED: " + failed.getMessage());
      exitCode = 1;
    } catch (RuntimeException unforeseen) {
      // Threads of the client would keep the JVM alive.
      unforeseen.printStackTrace();
      exitCode = 1;
    }
    System.exit(exitCode);
  }

  private int run() throws IOException, InterruptedException {
    if (!Files.isRegularFile(manifest)) {
      out.println(manifest + " is no file: name one with -Dmanifest=FILE");
      return 2;
    }
    Files.createDirectories(directory);
    Path python = PythonEnvironment.ensure(Path.of("").toAbsolutePath(), this::say);
    say("starting the control plane");
    try (ControlPlane controlPlane = ControlPlane.start()) {
      KubernetesClient client = controlPlane.client();
      OperatorProcess.installCrds(client);
      provideVolumes(client);
      say("starting the operator");
      try (OperatorProcess operator =
              OperatorProcess.startWithWebhooks(controlPlane.kubeconfig(), SETTINGS);
          LocalNode node = LocalNode.start(client, nodeOptions(python))) {
        say("node " + node.name() + " takes pods; operator log: " + operator.log());
        return failures > 0 ? fail(controlPlane) : apply(controlPlane, node);
      }
    }
  }

  private int fail(ControlPlane controlPlane) throws InterruptedException {
    Path kept = directory.resolve("failures");
    boolean all =
        new FailingJobs(controlPlane, NAMESPACE, failures, kept, this::say).allAsPromised();
    return all ? 0 : 1;
  }

  private LocalNodeOptions nodeOptions(Path python) {
    return LocalNodeOptions.named("this-machine")
        .withSearchPath(python)
        .withStateDirectory(directory.resolve("node"));
  }

  private int apply(ControlPlane controlPlane, LocalNode node)
      throws IOException, InterruptedException {
    List<HasMetadata> objects = objects(controlPlane.client());
    List<HasMetadata> jobs =
        objects.stream()
            .filter(object -> isOf(TRAINING_JOB, object) || isOf(PYTORCH_JOB, object))
            .toList();
    if (elastic && !jobs.stream().allMatch(job -> isOf(TRAINING_JOB, job))) {
      out.println("-Dsteps=elastic is for a PyTorchTrainingJob: leave it, or choose its manifest");
      return 2;
    }
    for (HasMetadata object : objects) {
      if (object instanceof PersistentVolumeClaim claim) {
        empty(node.claimDirectory(namespaceOf(claim), claim.getMetadata().getName()));
      }
    }
    Path goOn = node.claimDirectory(NAMESPACE, CLAIM).resolve(GO_ON);
    if (elastic) {
      Files.createFile(goOn);
    }
    say("kubectl apply -f " + manifest);
    KubectlResult applied =
        controlPlane.kubectl("apply", "-n", NAMESPACE, "-f", manifest.toString());
    out.print(applied.stdout());
    out.print(applied.stderr());
    int exitCode = 2;
    if (applied.exitCode() == 0 && jobs.isEmpty()) {
      out.println(manifest + " holds no PyTorchTrainingJob and no PyTorchJob");
    } else if (applied.exitCode() == 0) {
      exitCode = 0;
      for (HasMetadata job : jobs) {
        boolean succeeded =
            isOf(TRAINING_JOB, job)
                ? followTrainingJob(controlPlane, node, goOn, job)
                : followPyTorchJob(controlPlane, job);
        exitCode = Math.max(exitCode, succeeded ? 0 : 1);
      }
    }
    if (keep) {
      keepUp(controlPlane);
    }
    return exitCode;
  }

  private List<HasMetadata> objects(KubernetesClient client) throws IOException {
    try (var stream = Files.newInputStream(manifest)) {
      return client.load(stream).items();
    }
  }

  private static boolean isOf(FollowedKind<?> kind, HasMetadata object) {
    return HasMetadata.getApiVersion(kind.type()).equals(object.getApiVersion())
        && HasMetadata.getKind(kind.type()).equals(object.getKind());
  }

  private static String namespaceOf(HasMetadata object) {
    return Objects.requireNonNullElse(object.getMetadata().getNamespace(), NAMESPACE);
  }

  /** The volumes of a new cluster have nothing of an earlier try-out. */
  private static void empty(Path volume) throws IOException {
    try (Stream<Path> files = Files.walk(volume)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        if (!file.equals(volume)) {
          Files.delete(file);
        }
      }
    }
  }

  private boolean followTrainingJob(
      ControlPlane controlPlane, LocalNode node, Path goOn, HasMetadata wanted)
      throws IOException, InterruptedException {
    String name = wanted.getMetadata().getName();
    Clock clock = Clock.systemUTC();
    ElasticSteps elasticSteps =
        new ElasticSteps(
            elastic
                ? new ElasticScenario(controlPlane, node, namespaceOf(wanted), name).steps()
                : List.of(),
            clock,
            goOn,
            this::say);
    PyTorchTrainingJob job =
        follow(
            TRAINING_JOB,
            controlPlane,
            wanted,
            List.of(
                new RunModeSteps(controlPlane.client(), clock, pause, this::say), elasticSteps));
    if (!elasticSteps.open().isEmpty()) {
      throw new StepFailedException(
          "the job ended before these steps were over:\n  "
              + String.join("\n  ", elasticSteps.open()));
    }
    boolean succeeded = TRAINING_JOB.succeeded(job);
    if (succeeded && job.getSpec().tensorboardSpec() != null) {
      askTensorBoard(controlPlane.client(), job);
    }
    return succeeded;
  }

  private boolean followPyTorchJob(ControlPlane controlPlane, HasMetadata wanted)
      throws IOException, InterruptedException {
    List<JobSteps<PyTorchJob>> steps =
        List.of(new SuspendSteps(controlPlane.client(), pause, this::say));
    return PYTORCH_JOB.succeeded(follow(PYTORCH_JOB, controlPlane, wanted, steps));
  }

  /** Shows a job until it has ended, and then how it is. */
  private <J extends HasMetadata> J follow(
      FollowedKind<J> kind, ControlPlane controlPlane, HasMetadata wanted, List<JobSteps<J>> steps)
      throws IOException, InterruptedException {
    String name = wanted.getMetadata().getName();
    String namespace = namespaceOf(wanted);
    Path logs = Files.createDirectories(directory.resolve("logs").resolve(name));
    JobFollower<J> follower =
        new JobFollower<>(controlPlane.client(), kind, namespace, name, logs, steps, this::say);
    J job;
    try {
      job = follower.untilEnded();
    } catch (StepFailedException failed) {
      show(controlPlane, "describe", kind.word(), name, "-n", namespace);
      throw failed;
    }
    show(controlPlane, "get", kind.word(), name, "-n", namespace, "-o", "wide");
    show(controlPlane, "events", "-n", namespace, "--for", kind.resource() + "/" + name);
    out.println();
    say(
        "job "
            + name
            + (kind.succeeded(job) ? " succeeded" : " failed: " + kind.failure(job))
            + accuracy(follower.accuracy()));
    say("logs of its pods: " + logs);
    return job;
  }

  private void show(ControlPlane controlPlane, String... kubectl) {
    out.println();
    out.println(controlPlane.kubectl(kubectl).stdout().strip());
  }

  private void askTensorBoard(KubernetesClient client, PyTorchTrainingJob job)
      throws InterruptedException {
    ObjectMeta meta = job.getMetadata();
    String service =
        JobNames.of(meta.getNamespace(), meta.getName(), meta.getUid()).base() + "-tensorboard";
    TensorBoardCheck.Curve curve =
        new TensorBoardCheck(client, meta.getNamespace())
            .await(service, meta.getUid(), ACCURACY_CURVE, TENSORBOARD_LIMIT);
    say(
        "TensorBoard at "
            + curve.url()
            + " shows run "
            + curve.run()
            + ", "
            + ACCURACY_CURVE
            + String.format(Locale.ROOT, " %.4f", curve.value()));
  }

  private static String accuracy(@Nullable String accuracy) {
    return accuracy == null ? "" : ", accuracy " + accuracy;
  }

  /** There is no storage provisioner here: claims bind to these. */
  private void provideVolumes(KubernetesClient client) {
    for (int i = 0; i < VOLUMES; i++) {
      client
          .resource(
              new PersistentVolumeBuilder()
                  .withNewMetadata()
                  .withName("local-" + i)
                  .endMetadata()
                  .withNewSpec()
                  .withCapacity(Map.of("storage", new Quantity("100Gi")))
                  .withAccessModes("ReadWriteOnce", "ReadWriteMany", "ReadOnlyMany")
                  .withNewHostPath()
                  .withPath(directory.resolve("volumes/" + i).toString())
                  .endHostPath()
                  .endSpec()
                  .build())
          .create();
    }
  }

  private void keepUp(ControlPlane controlPlane) throws InterruptedException {
    out.println();
    out.println("All stays up until you press Ctrl-C. In another terminal:");
    out.println("  export KUBECONFIG=" + controlPlane.kubeconfig());
    out.println("  export PATH=" + controlPlane.binaryPath() + ":$PATH");
    out.println("  kubectl get pj,pytorchjobs -o wide");
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime().addShutdownHook(new Thread(stopped::countDown));
    stopped.await();
  }

  private void say(String line) {
    Duration since = Duration.between(begin, Instant.now());
    out.printf("[%3d s] %s%n", since.toSeconds(), line);
    out.flush();
  }
}
