package dev.tensorstack.training.controlplane;

/** A program of the control plane, with the one version that is used. */
public enum Tool {
  ETCD("etcd", Tool.ETCD_VERSION, "etcd", "."),
  KUBE_APISERVER("kube-apiserver"),
  KUBE_CONTROLLER_MANAGER("kube-controller-manager"),
  KUBE_SCHEDULER("kube-scheduler"),
  KUBECTL("kubectl");

  /** The version of Kubernetes, with the leading {@code v}. */
  public static final String KUBERNETES_VERSION = "v1.36.3";

  /** The version of etcd, with the leading {@code v}. */
  public static final String ETCD_VERSION = "v3.6.16";

  private final String program;
  private final String version;
  private final String module;
  private final String goPackage;

  Tool(String program) {
    this(program, Tool.KUBERNETES_VERSION, "kubernetes", "k8s.io/kubernetes/cmd/" + program);
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

  /** The version, with the leading {@code v}. */
  public String version() {
    return version;
  }

  /** The folder of the Go module, below {@code src/test/controlplane}, that pins this program. */
  String module() {
    return module;
  }

  /** What {@code go build} is told to build within that module. */
  String goPackage() {
    return goPackage;
  }

  /** The linker flags for {@code go build}; Kubernetes refuses to start without its version. */
  String linkerFlags() {
    if (this == ETCD) {
      return "-s -w";
    }
    String[] parts = version.substring(1).split("\\.", -1);
    return "-s -w"
        + (" -X k8s.io/component-base/version.gitVersion=" + version)
        + (" -X k8s.io/component-base/version.gitMajor=" + parts[0])
        + (" -X k8s.io/component-base/version.gitMinor=" + parts[1])
        + (" -X k8s.io/client-go/pkg/version.gitVersion=" + version);
  }
}
