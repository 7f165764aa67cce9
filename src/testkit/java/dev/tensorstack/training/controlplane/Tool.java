package dev.tensorstack.training.controlplane;

import java.util.List;
import java.util.Set;

/**
 * A program of the control plane, or one that tests use on it, with the one version that is used.
 * Those of Kubernetes have the version that is {@linkplain KubernetesVersion#chosen() chosen}.
 */
public enum Tool {
  ETCD("etcd", Tool.ETCD_VERSION, "etcd", "."),
  KUBE_APISERVER("kube-apiserver"),
  KUBE_CONTROLLER_MANAGER("kube-controller-manager"),
  KUBE_SCHEDULER("kube-scheduler"),
  KUBECTL("kubectl"),
  HELM("helm", Tool.HELM_VERSION, "helm", "helm.sh/helm/v3/cmd/helm"),
  PROMETHEUS(
      "prometheus",
      Tool.PROMETHEUS_VERSION,
      "prometheus",
      "github.com/prometheus/prometheus/cmd/prometheus"),
  PROMTOOL(
      "promtool",
      Tool.PROMETHEUS_VERSION,
      "prometheus",
      "github.com/prometheus/prometheus/cmd/promtool"),
  KUEUE("kueue", Tool.KUEUE_VERSION, "kueue", "sigs.k8s.io/kueue/cmd/kueue"),
  VOLCANO_SCHEDULER(
      "vc-scheduler", Tool.VOLCANO_VERSION, "volcano", "volcano.sh/volcano/cmd/scheduler"),
  VOLCANO_CONTROLLERS(
      "vc-controller-manager",
      Tool.VOLCANO_VERSION,
      "volcano",
      "volcano.sh/volcano/cmd/controller-manager"),
  COSCHEDULING_SCHEDULER(
      "coscheduling-scheduler",
      Tool.COSCHEDULING_VERSION,
      "coscheduling",
      "sigs.k8s.io/scheduler-plugins/cmd/scheduler"),
  COSCHEDULING_CONTROLLER(
      "coscheduling-controller",
      Tool.COSCHEDULING_VERSION,
      "coscheduling",
      "sigs.k8s.io/scheduler-plugins/cmd/controller");

  /** The programs of the control plane itself, and kubectl. */
  static final Set<Tool> CONTROL_PLANE =
      Set.of(ETCD, KUBE_APISERVER, KUBE_CONTROLLER_MANAGER, KUBE_SCHEDULER, KUBECTL);

  /** The version of etcd, with the leading {@code v}. */
  public static final String ETCD_VERSION = "v3.6.16";

  /** The version of Helm, with the leading {@code v}. */
  public static final String HELM_VERSION = "v3.21.4";

  /** The version of Prometheus, with the leading {@code v}. */
  public static final String PROMETHEUS_VERSION = "v3.13.5";

  /** The version of Kueue, with the leading {@code v}. */
  public static final String KUEUE_VERSION = "v0.19.1";

  /** The version of Volcano, with the leading {@code v}. */
  public static final String VOLCANO_VERSION = "v1.15.0";

  /**
   * The version of scheduler-plugins, with the leading {@code v}: made with Kubernetes 1.33.5, as
   * it says itself.
   */
  public static final String COSCHEDULING_VERSION = "v0.33.5";

  private final String program;
  private final String version;
  private final String module;
  private final String goPackage;

  Tool(String program) {
    this(program, "", "kubernetes", "k8s.io/kubernetes/cmd/" + program);
  }

  Tool(String program, String version, String module, String goPackage) {
    this.program = program;
    this.version = version;
    this.module = module;
    this.goPackage = goPackage;
  }

  /** The file name of the program. */
  public String program() {
    return program;
  }

  /**
   * The version, with the leading {@code v}.
   *
   * @throws ControlPlaneException when the program is of Kubernetes and the setting for its version
   *     is wrong
   */
  public String version() {
    return ofKubernetes() ? KubernetesVersion.chosen().toString() : version;
  }

  /** The version, with the leading {@code v}, beside a version of Kubernetes. */
  String version(KubernetesVersion kubernetes) {
    return ofKubernetes() ? kubernetes.toString() : version;
  }

  /** Whether it is a program of Kubernetes itself, of its version. */
  boolean ofKubernetes() {
    return module.equals("kubernetes");
  }

  /**
   * The folder of the Go module, below {@code src/testkit/controlplane}, that pins this program.
   */
  String module() {
    return module;
  }

  /** What {@code go build} is told to build within that module. */
  String goPackage() {
    return goPackage;
  }

  /** The path of the Go module that holds {@link #manifests()}; empty for a program without. */
  String manifestModule() {
    return switch (this) {
      case KUEUE -> "sigs.k8s.io/kueue";
      case VOLCANO_SCHEDULER -> "volcano.sh/volcano";
      case COSCHEDULING_SCHEDULER -> "sigs.k8s.io/scheduler-plugins";
      default -> "";
    };
  }

  /**
   * What is kept beside the program: the manifests without which it does not start.
   *
   * @return YAML files, or folders of them, within {@link #manifestModule()}; empty for none
   */
  List<String> manifests() {
    return switch (this) {
      case KUEUE ->
          List.of("config/components/crd/bases", "config/components/webhook/manifests.yaml");
      case VOLCANO_SCHEDULER -> List.of("config/crd/volcano/bases");
      case COSCHEDULING_SCHEDULER -> List.of("config/crd/bases");
      default -> List.of();
    };
  }

  /**
   * A Go module that the program needs and that lacks something: its missing files are below {@link
   * #module()}, in a folder that has the last part of its name.
   *
   * @return the module's path and version with an @ between; empty for none
   */
  String moduleToComplete() {
    return module.equals("volcano") ? "volcano.sh/apis@v1.14.0" : "";
  }

  /**
   * Whether somebody publishes the program for download.
   *
   * @return false when it can only be built
   */
  boolean published() {
    return !Set.of("kueue", "volcano", "coscheduling").contains(module);
  }

  /**
   * The build tags for {@code go build}. Prometheus is built without the clients of clouds that it
   * can ask for targets: they are most of its code.
   *
   * @return words with commas between, empty for none
   */
  String buildTags() {
    return module.equals("prometheus") ? "remove_all_sd" : "";
  }

  /**
   * The linker flags for {@code go build}; Kubernetes refuses to start without its version, and
   * Helm takes the cluster to be an old one, which charts refuse. One Helm serves all versions of
   * Kubernetes: it asks a cluster, and only without one takes it to be the default.
   */
  String linkerFlags(KubernetesVersion kubernetes) {
    if (this == ETCD || module.equals("volcano")) {
      return "-s -w";
    }
    if (module.equals("prometheus")) {
      return "-s -w -X github.com/prometheus/common/version.Version=" + version.substring(1);
    }
    if (this == KUEUE) {
      return "-s -w -X sigs.k8s.io/kueue/pkg/version.GitVersion=" + version;
    }
    if (module.equals("coscheduling")) {
      return "-s -w -X k8s.io/component-base/version.gitVersion=v1." + version.substring(3);
    }
    if (this == HELM) {
      int minor = KubernetesVersion.DEFAULT.minor();
      return "-s -w"
          + (" -X helm.sh/helm/v3/internal/version.version=" + version)
          + (" -X helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor=1")
          + (" -X helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=" + minor)
          + (" -X helm.sh/helm/v3/pkg/lint/rules.k8sVersionMajor=1")
          + (" -X helm.sh/helm/v3/pkg/lint/rules.k8sVersionMinor=" + minor);
    }
    return "-s -w"
        + (" -X k8s.io/component-base/version.gitVersion=" + kubernetes)
        + " -X k8s.io/component-base/version.gitMajor=1"
        + (" -X k8s.io/component-base/version.gitMinor=" + kubernetes.minor())
        + (" -X k8s.io/client-go/pkg/version.gitVersion=" + kubernetes);
  }
}
