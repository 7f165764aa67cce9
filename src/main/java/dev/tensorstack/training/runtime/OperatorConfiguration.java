package dev.tensorstack.training.runtime;

import dev.tensorstack.training.tls.certificate.CertificateOrigin;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The operator's settings; each is also an environment variable: OPERATOR_POD_WRITE_PARALLELISM.
 * docs/reference/configuration.md is made from these comments.
 */
@ConfigMapping(prefix = "operator")
public interface OperatorConfiguration {

  /**
   * The namespaces to watch, separated by commas, or the framework's word for all of them.
   *
   * @return names; application.properties hands them to the framework
   */
  List<String> watchNamespaces();

  /**
   * The kinds of jobs that the operator works on, separated by commas; of the others it neither
   * watches anything nor serves webhooks, and their CRDs need not be there.
   *
   * @return {@code PyTorchTrainingJob}, {@code PyTorchJob} or both
   */
  @WithDefault("PyTorchTrainingJob,PyTorchJob")
  List<String> kinds();

  /**
   * Creations and deletions of pods in flight at once, of the whole operator.
   *
   * @return a positive number
   */
  @WithDefault("50")
  int podWriteParallelism();

  /**
   * The delay before the second counted restart of a job; it doubles with each further one.
   *
   * @return for example 10s
   */
  @WithDefault("10s")
  Duration restartDelayBase();

  /**
   * The longest delay before a counted restart.
   *
   * @return for example 5m
   */
  @WithDefault("5m")
  Duration restartDelayMax();

  /**
   * How long a node may be silent before the pods on it that cannot be deleted are given up and
   * replaced.
   *
   * @return for example 30s
   */
  @WithDefault("30s")
  Duration nodeLossGrace();

  /**
   * How long the other torchrun agents may take to exit after the master succeeded.
   *
   * @return for example 30s
   */
  @WithDefault("30s")
  Duration agentExitGrace();

  /**
   * How long the other torchrun agents may take to end by themselves after one has failed, before
   * the job ends or all pods start anew.
   *
   * @return for example 10s
   */
  @WithDefault("10s")
  Duration failureGrace();

  /**
   * How long pods without torchrun may take to end after one has failed, before the job ends or all
   * pods start anew: what ended in the same moment is seen by then.
   *
   * @return for example 3s
   */
  @WithDefault("3s")
  Duration plainFailureGrace();

  /**
   * The longest that a replacement waits after a disruption; the first three within five minutes do
   * not wait, the next 1 s, 2 s, 4 s, and so on.
   *
   * @return for example 30s
   */
  @WithDefault("30s")
  Duration disruptionDelayMax();

  /**
   * At most one status write for each job in this time; decisions do not wait.
   *
   * @return for example 1s
   */
  @WithDefault("1s")
  Duration statusMinInterval();

  /**
   * The resources that {@code procPerNode: gpu} counts; a {@code *} at the end stands for any rest.
   *
   * @return names of extended resources
   */
  @WithDefault(
      "nvidia.com/gpu,nvidia.com/mig-*,amd.com/gpu,hygon.com/dcu,gpu.intel.com/*,habana.ai/gaudi,huawei.com/Ascend*")
  List<String> acceleratorResources();

  /**
   * What new jobs get where their users say nothing.
   *
   * @return its settings
   */
  Defaults defaults();

  /** The settings of what new jobs get. */
  interface Defaults {

    /**
     * Which pods are deleted once a new job has ended, if the job does not say it: {@code All},
     * {@code Unfinished} or {@code None}, for {@code PyTorchJob} {@code Running} instead of {@code
     * Unfinished}.
     *
     * @return one of the three; empty: the default of the kind
     */
    Optional<String> cleanUpPolicy();

    /**
     * After how many seconds a new job that has ended is deleted, if the job does not say it.
     *
     * @return 0 or more; empty: never
     */
    Optional<Integer> ttlSecondsAfterFinished();

    /**
     * The LocalQueue of Kueue that a new job waits in, if it has no label {@code
     * kueue.x-k8s.io/queue-name}; a label without a value stands for no queue.
     *
     * @return a name; empty: no queue
     */
    Optional<String> queue();

    /**
     * The image of TensorBoard, if a new {@code PyTorchTrainingJob} with a TensorBoard names none.
     *
     * @return an image; empty: {@code t9kpublic/tensorboard:2.17.0}
     */
    Optional<String> tensorboardImage();

    /**
     * {@code spec.scheduler} of a new {@code PyTorchTrainingJob} as JSON, if neither the job nor
     * one of its templates names a scheduler.
     *
     * @return for example {@code {"volcano": {"queue": "research"}}}; empty: Kubernetes' default
     *     scheduler
     */
    Optional<String> scheduler();
  }

  /**
   * The operator's own namespace; setting it says that the operator runs in a cluster.
   *
   * @return a namespace; empty: that of the pod's service account, where there is one
   */
  Optional<String> namespace();

  /**
   * The operator's own pod, on which events about the operator itself are written.
   *
   * @return its name and uid
   */
  OwnPod ownPod();

  /** The operator's own pod. */
  interface OwnPod {

    /**
     * The name of the operator's own pod.
     *
     * @return a name; empty: no events about the operator itself
     */
    Optional<String> name();

    /**
     * The uid of the operator's own pod.
     *
     * @return a uid; empty: no events about the operator itself
     */
    Optional<String> uid();
  }

  /**
   * The election of the one that works on jobs.
   *
   * @return its settings
   */
  LeaderElection leaderElection();

  /** The settings of the election. */
  interface LeaderElection {

    /**
     * Whether several replicas of the operator elect the one that works on jobs.
     *
     * @return whether; empty: {@code true} in a cluster, else {@code false}
     */
    Optional<Boolean> enabled();
  }

  /**
   * Jobs of the kind {@code PyTorchJob}.
   *
   * @return their settings
   */
  @WithName("pytorchjob")
  PyTorchJobs pyTorchJobs();

  /** The settings of the kind {@code PyTorchJob}. */
  interface PyTorchJobs {

    /**
     * The gang scheduler of all jobs of the kind {@code PyTorchJob}: {@code none}, {@code volcano},
     * or the name under which scheduler-plugins run.
     *
     * @return a {@code schedulerName}
     */
    @WithDefault("none")
    String gangScheduler();

    /**
     * Whether jobs of the kind {@code PyTorchJob} are left alone while Kubeflow's Training Operator
     * works in the cluster.
     *
     * @return false where that one works on other kinds only
     */
    @WithDefault("true")
    boolean trainingOperatorCheck();

    /**
     * The init container with which workers wait for the master's name in DNS.
     *
     * @return its settings
     */
    InitContainer initContainer();

    /** The settings of the init container. */
    interface InitContainer {

      /**
       * Whether workers of a job of the kind {@code PyTorchJob} wait for the master's name in DNS
       * in an init container; without, torch tries again by itself.
       *
       * @return whether
       */
      @WithDefault("true")
      boolean enabled();

      /**
       * The init container's image, which has a shell and {@code nslookup}.
       *
       * @return an image
       */
      @WithDefault("docker.io/library/busybox:1.36.1")
      String image();

      /**
       * How often the init container asks for the name, two seconds apart, before it fails.
       *
       * @return a positive number
       */
      @WithDefault("100")
      int maxTries();

      /**
       * A YAML file with a list of init containers instead of the operator's own; {@code
       * {{.MasterAddr}}}, {@code {{.InitContainerImage}}} and {@code {{.MaxTries}}} are filled in.
       *
       * @return a file; empty: the operator's own init container
       */
      Optional<Path> templateFile();
    }
  }

  /**
   * The admission webhooks.
   *
   * @return their settings
   */
  Webhooks webhooks();

  /**
   * What trainings report of their progress.
   *
   * @return its settings
   */
  Progress progress();

  /**
   * The operator's metrics.
   *
   * @return their settings
   */
  Metrics metrics();

  /** The settings of the metrics. */
  interface Metrics {

    /**
     * Whether metrics are served over HTTPS only, to those whose bearer token the API server knows
     * and who may get the non-resource URL {@code /metrics}; the port of health has none then.
     *
     * @return false: without TLS and authentication, on the port of health
     */
    @WithDefault("false")
    boolean secure();

    /**
     * The port, with TLS, of metrics that are served over HTTPS.
     *
     * @return a port
     */
    @WithDefault("9445")
    int securePort();

    /**
     * The Service of the metrics, in the operator's namespace. If they are served over HTTPS, a
     * self-signed certificate is for its name too; messages name the ClusterRole of this name with
     * {@code -reader} at its end.
     *
     * @return its name
     */
    @WithDefault("pytorchtrainingjob-operator-metrics")
    String service();
  }

  /** The settings of what trainings report. */
  interface Progress {

    /**
     * Whether the operator listens to trainings, and tells the pods of jobs that ask for it where
     * they can report their progress.
     *
     * @return true for reports
     */
    @WithDefault("true")
    boolean enabled();

    /**
     * The port, with TLS, on which the operator listens to the pods.
     *
     * @return a port
     */
    @WithDefault("9444")
    int port();

    /**
     * A file with the authorities that pods are to trust, PEM, where the operator does not make its
     * certificate and is not given them with it; read again as time goes by.
     *
     * @return a file; empty: those that come with the certificate
     */
    Optional<Path> ca();

    /**
     * Where pods reach this operator: {@code https://host:port}; the host must be in its
     * certificate.
     *
     * @return an address; empty: as the API server reaches the webhooks, by Service or URL, with
     *     the port for reports; without either, nobody listens
     */
    Optional<String> url();
  }

  /** The settings of the admission webhooks. */
  interface Webhooks {

    /**
     * Outside of a cluster: {@code https://host:port} where the API server reaches this operator,
     * which then registers its webhooks itself.
     *
     * @return an address; empty: the operator does not register its webhooks
     */
    Optional<String> url();

    /**
     * Who makes the certificate: the operator itself ({@code self-signed}), or somebody who puts it
     * into files ({@code provided}).
     *
     * @return one of the two
     */
    @WithDefault("self-signed")
    CertificateOrigin certificates();

    /**
     * Where a provided certificate is: {@code tls.crt}, {@code tls.key} and perhaps {@code ca.crt}.
     *
     * @return a directory
     */
    @WithDefault("/etc/webhook-certificates")
    Path certificateDir();

    /**
     * The Secret of a self-signed certificate, in the operator's namespace.
     *
     * @return its name
     */
    @WithDefault("pytorchtrainingjob-operator-webhook")
    String secret();

    /**
     * The Service through which API servers reach the webhooks, in the operator's namespace.
     *
     * @return its name
     */
    @WithDefault("pytorchtrainingjob-operator-webhook")
    String service();

    /**
     * The name of both webhook configurations; with a URL, {@code -url} is added.
     *
     * @return a name
     */
    @WithDefault("pytorchtrainingjob-operator")
    String configuration();

    /**
     * How long a self-signed certificate is valid; it is renewed after two thirds of that.
     *
     * @return for example 90d
     */
    @WithDefault("90d")
    Duration certificateValidity();

    /**
     * How long the authority of self-signed certificates is valid; it is renewed after two thirds
     * of that.
     *
     * @return for example 730d
     */
    @WithDefault("730d")
    Duration caValidity();

    /**
     * How often certificate, files and webhook configurations are looked at.
     *
     * @return for example 10s
     */
    @WithDefault("10s")
    Duration checkInterval();

    /**
     * How long a new authority stands in the webhook configurations before a certificate that it
     * signed is served.
     *
     * @return for example 30s
     */
    @WithDefault("30s")
    Duration trustDelay();

    /**
     * Whether the API server tries the pods of a new job without creating them; if not, mistakes
     * that only it can see show when the pods are created.
     *
     * @return false: only the rules are checked
     */
    @WithDefault("true")
    boolean podDryRun();

    /**
     * How many pods the API server is asked to try at once, of all jobs together; others wait, and
     * what has no answer after two seconds is no objection.
     *
     * @return a positive number
     */
    @WithDefault("32")
    int dryRunParallelism();

    /**
     * How many reviews are read and worked on at once; others wait for three seconds, and are then
     * answered with 429, so that {@code failurePolicy} decides.
     *
     * @return a positive number
     */
    @WithDefault("64")
    int reviewParallelism();

    /**
     * The authorities, as a PEM file, of the certificates with which API servers call the webhooks.
     * Connections without such a certificate are refused.
     *
     * @return a file; empty: everybody may call
     */
    Optional<Path> clientCa();

    /**
     * The names, as common name or DNS name, of certificates that may call the webhooks, where the
     * authorities vouch for others too.
     *
     * @return names; empty: all
     */
    Optional<List<String>> clientNames();
  }
}
