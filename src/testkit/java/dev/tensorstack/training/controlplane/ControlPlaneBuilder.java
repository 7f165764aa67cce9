package dev.tensorstack.training.controlplane;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/** Says what a control plane shall be like, and starts it. Not for use by several threads. */
public final class ControlPlaneBuilder {
  /** Below the folder of the control plane; holds the authority that signed it as well. */
  static final String SERVING_CERTIFICATE = "pki/apiserver.crt";

  /** The private key of that. */
  static final String SERVING_KEY = "pki/apiserver.key";

  private static final Duration POLL = Duration.ofMillis(50);
  private static final int ATTEMPTS = 3;
  private static final int LOG_LINES = 25;
  private static final List<String> ENDPOINT_CONTROLLERS =
      List.of("endpoints-controller", "endpointslice-controller");

  private final List<String> apiServerArguments = new ArrayList<>();
  private final List<String> controllerManagerArguments = new ArrayList<>();
  private final List<String> schedulerArguments = new ArrayList<>();
  private final List<String> withoutControllers = new ArrayList<>();
  private boolean controllerManager = true;
  private boolean endpointsAtUsualRate;
  private boolean scheduler = true;
  private boolean auditLog;
  private boolean podGroups;
  private boolean memoryForTime;
  private Duration nodeLossToleration = Duration.ofMinutes(5);
  private Duration startLimit = Duration.ofMinutes(2);
  private @Nullable Path fixedDirectory;

  ControlPlaneBuilder() {}

  /** Further arguments for kube-apiserver, after our own, so that they win. */
  public ControlPlaneBuilder apiServerArguments(String... arguments) {
    apiServerArguments.addAll(List.of(arguments));
    return this;
  }

  /** Further arguments for kube-controller-manager, after our own, so that they win. */
  public ControlPlaneBuilder controllerManagerArguments(String... arguments) {
    controllerManagerArguments.addAll(List.of(arguments));
    return this;
  }

  /** Further arguments for kube-scheduler, after our own, so that they win. */
  public ControlPlaneBuilder schedulerArguments(String... arguments) {
    schedulerArguments.addAll(List.of(arguments));
    return this;
  }

  /**
   * Whether kube-controller-manager runs; default true. Without it nothing is garbage collected, no
   * namespace ends, and pods need no service account.
   */
  public ControlPlaneBuilder controllerManager(boolean on) {
    controllerManager = on;
    return this;
  }

  /** Controllers of kube-controller-manager that do not run, by name; default none. */
  public ControlPlaneBuilder withoutControllers(String... names) {
    withoutControllers.addAll(List.of(names));
    return this;
  }

  /**
   * Whether the controllers that make Endpoints and EndpointSlices of Services keep the rate limit
   * that they have in Kubernetes (20 requests a second each, bursts of 30); default false: they
   * write with each change of a pod. They run in a process of their own then, beside the others,
   * whose limit is always lifted.
   */
  public ControlPlaneBuilder endpointsAtUsualRate(boolean on) {
    endpointsAtUsualRate = on;
    return this;
  }

  /** Whether kube-scheduler runs; default true. */
  public ControlPlaneBuilder scheduler(boolean on) {
    scheduler = on;
    return this;
  }

  /** Whether every request is written to {@link ControlPlane#auditLog()}; default false. */
  public ControlPlaneBuilder auditLog(boolean on) {
    auditLog = on;
    return this;
  }

  /**
   * Whether the native PodGroup ({@code scheduling.k8s.io/v1alpha2}) and gang scheduling are on;
   * default false. A {@linkplain KubernetesVersion#hasPodGroups() version without} starts without.
   */
  public ControlPlaneBuilder podGroups(boolean on) {
    podGroups = on && KubernetesVersion.chosen().hasPodGroups();
    return this;
  }

  /**
   * How long pods that say nothing about it stay bound to a node that is not ready or cannot be
   * reached, in whole seconds; default five minutes, as in Kubernetes.
   */
  public ControlPlaneBuilder nodeLossToleration(Duration toleration) {
    nodeLossToleration = toleration;
    return this;
  }

  /**
   * Whether the programs collect garbage a fifth as often as usual, which costs memory and saves
   * CPU; default false: measurements want programs as they are in a cluster.
   */
  public ControlPlaneBuilder memoryForTime(boolean on) {
    memoryForTime = on;
    return this;
  }

  /** How long each part may take to get ready; default two minutes. */
  public ControlPlaneBuilder startLimit(Duration limit) {
    startLimit = limit;
    return this;
  }

  /**
   * A folder for data, keys and logs, which is created when needed and stays. Started there again,
   * the control plane still has its objects. Default: a temporary folder that is removed.
   */
  public ControlPlaneBuilder directory(Path directory) {
    fixedDirectory = directory;
    return this;
  }

  /**
   * Starts it and waits until it is ready. Provides the programs first, which takes minutes on a
   * new machine; see {@link ControlPlaneBinaries}.
   *
   * @throws ControlPlaneException when it does not get ready; carries the last lines of the log of
   *     what failed. Nothing is left running.
   */
  public ControlPlane start() {
    ControlPlaneBinaries binaries = ControlPlaneBinaries.provide();
    for (int attempt = 1; ; attempt++) {
      Start start = new Start(binaries);
      try {
        return start.run();
      } catch (IOException e) {
        start.undo();
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        start.undo();
        Thread.currentThread().interrupt();
        throw new ControlPlaneException("interrupted while the control plane was starting", e);
      } catch (ControlPlaneException e) {
        start.undo();
        // A free port may be taken by somebody else before we get it.
        if (attempt == ATTEMPTS
            || !String.valueOf(e.getMessage()).contains("address already in use")) {
          throw e;
        }
      }
    }
  }

  /** One try to start. */
  private final class Start {
    private final ControlPlaneBinaries binaries;
    private final Path directory;
    private final Deque<GuardedProcess> processes = new ArrayDeque<>();
    private final int etcdPort;
    private final int etcdPeerPort;
    private final int apiServerPort;
    private final int controllerManagerPort;
    private final int schedulerPort;
    private final int endpointControllersPort;

    Start(ControlPlaneBinaries binaries) {
      this.binaries = binaries;
      try {
        if (fixedDirectory == null) {
          directory = Files.createTempDirectory("control-plane-");
        } else {
          directory = Files.createDirectories(fixedDirectory).toAbsolutePath();
        }
        List<Integer> ports = Stream.generate(LoopbackPorts::next).limit(6).toList();
        etcdPort = ports.get(0);
        etcdPeerPort = ports.get(1);
        apiServerPort = ports.get(2);
        controllerManagerPort = ports.get(3);
        schedulerPort = ports.get(4);
        endpointControllersPort = ports.get(5);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    void undo() {
      ControlPlane.stop(processes);
      if (fixedDirectory == null) {
        ControlPlane.delete(directory);
      }
    }

    ControlPlane run() throws IOException, InterruptedException {
      GuardedProcess etcd = startEtcd();
      String adminToken = prepareFiles();
      await(etcd, () -> listens(etcdPort));

      GuardedProcess apiServer = startApiServer();
      String url = "https://127.0.0.1:" + apiServerPort;
      Path certificate = directory.resolve(SERVING_CERTIFICATE);
      await(apiServer, () -> listens(apiServerPort)); // its certificate is written before that
      String authority = Files.readString(certificate);
      Credentials.writePrivate(
          directory.resolve("admin.kubeconfig"),
          Credentials.kubeconfig(url, authority, adminToken));

      Probe probe = new Probe(authority, adminToken);
      // The controller manager gives up when the API server is not healthy within ten seconds.
      await(apiServer, () -> probe.status(url + "/livez") > 0);
      if (controllerManager) {
        startControllerManager();
        if (endpointsAtUsualRate) {
          startEndpointControllers();
        }
      }
      if (scheduler) {
        startScheduler();
      }
      await(apiServer, () -> probe.ok(url + "/readyz"));
      for (GuardedProcess process : processes) {
        if (process.name().equals(Tool.KUBE_CONTROLLER_MANAGER.program())) {
          await(
              process, () -> probe.ok(url + "/api/v1/namespaces/default/serviceaccounts/default"));
        } else if (process.name().equals(Tool.KUBE_SCHEDULER.program())) {
          String readiness = KubernetesVersion.chosen().schedulerReadiness();
          await(process, () -> probe.ok("https://127.0.0.1:" + schedulerPort + readiness));
        }
      }
      return new ControlPlane(binaries, directory, fixedDirectory == null, processes);
    }

    private String prepareFiles() throws IOException {
      Path tokens = directory.resolve("tokens.csv");
      String adminToken;
      if (Files.exists(tokens)) {
        adminToken = Files.readString(tokens).split(",", 2)[0];
      } else {
        adminToken = Credentials.randomToken();
        Credentials.writePrivate(tokens, adminToken + ",admin,admin,\"system:masters\"\n");
      }
      Path key = directory.resolve("service-accounts.key");
      if (!Files.exists(key)) {
        Credentials.SigningKeys keys = Credentials.SigningKeys.generate();
        Files.writeString(directory.resolve("service-accounts.pub"), keys.publicKey());
        Credentials.writePrivate(key, keys.privateKey());
      }
      Files.writeString(
          directory.resolve("audit-policy.yaml"),
          """
          apiVersion: audit.k8s.io/v1
          kind: Policy
          omitStages: [RequestReceived, ResponseStarted]
          rules:
          - level: Metadata
          """);
      Files.writeString(
          directory.resolve("scheduler.yaml"),
          """
          apiVersion: kubescheduler.config.k8s.io/v1
          kind: KubeSchedulerConfiguration
          leaderElection:
            leaderElect: false
          clientConnection:
            kubeconfig: admin.kubeconfig
            qps: 5000
            burst: 5000
          podInitialBackoffSeconds: 1
          podMaxBackoffSeconds: 2
          """);
      return adminToken;
    }

    private GuardedProcess startEtcd() {
      String client = "http://127.0.0.1:" + etcdPort;
      String peer = "http://127.0.0.1:" + etcdPeerPort;
      return start(
          Tool.ETCD,
          List.of(
              "--name=etcd",
              "--data-dir=etcd",
              "--unsafe-no-fsync",
              "--listen-client-urls=" + client,
              "--advertise-client-urls=" + client,
              "--listen-peer-urls=" + peer,
              "--initial-advertise-peer-urls=" + peer,
              "--initial-cluster=etcd=" + peer,
              "--force-new-cluster=" + Files.isDirectory(directory.resolve("etcd")),
              "--heartbeat-interval=50",
              "--election-timeout=500",
              "--quota-backend-bytes=" + (8L << 30),
              "--log-level=warn"));
    }

    private GuardedProcess startApiServer() {
      List<String> arguments =
          new ArrayList<>(
              List.of(
                  "--etcd-servers=http://127.0.0.1:" + etcdPort,
                  "--bind-address=127.0.0.1",
                  "--advertise-address=127.0.0.1",
                  "--endpoint-reconciler-type=none",
                  "--secure-port=" + apiServerPort,
                  "--cert-dir=pki",
                  "--service-cluster-ip-range=10.96.0.0/16",
                  "--token-auth-file=tokens.csv",
                  "--authorization-mode=RBAC",
                  "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
                  "--service-account-key-file=service-accounts.pub",
                  "--service-account-signing-key-file=service-accounts.key",
                  "--allow-privileged=true",
                  "--kubelet-preferred-address-types=InternalIP",
                  "--enable-priority-and-fairness=false",
                  "--max-requests-inflight=4000",
                  "--max-mutating-requests-inflight=2000",
                  "--default-not-ready-toleration-seconds=" + nodeLossToleration.toSeconds(),
                  "--default-unreachable-toleration-seconds=" + nodeLossToleration.toSeconds(),
                  "--profiling=false"));
      if (!controllerManager) {
        arguments.add("--disable-admission-plugins=ServiceAccount"); // nobody makes the default one
      }
      if (auditLog) {
        arguments.add("--audit-policy-file=audit-policy.yaml");
        arguments.add("--audit-log-path=audit.log");
        arguments.add("--audit-log-maxsize=100000");
      }
      if (podGroups) {
        arguments.add("--feature-gates=GenericWorkload=true,GangScheduling=true");
        arguments.add("--runtime-config=scheduling.k8s.io/v1alpha2=true");
      }
      arguments.addAll(apiServerArguments);
      return start(Tool.KUBE_APISERVER, arguments);
    }

    private GuardedProcess startControllerManager() {
      List<String> arguments = commonArguments(controllerManagerPort);
      arguments.addAll(
          List.of(
              "--service-account-private-key-file=service-accounts.key",
              "--root-ca-file=" + SERVING_CERTIFICATE,
              "--kube-api-qps=5000",
              "--kube-api-burst=5000",
              "--concurrent-gc-syncs=20",
              "--concurrent-namespace-syncs=10",
              // A node is lost when somebody says so, not because this machine was busy.
              "--node-monitor-period=1s",
              "--node-monitor-grace-period=10m",
              "--node-eviction-rate=1000",
              "--secondary-node-eviction-rate=1000"));
      if (podGroups) {
        arguments.add("--feature-gates=GenericWorkload=true,GangScheduling=true");
      }
      List<String> controllers = new ArrayList<>(List.of("*"));
      withoutControllers.forEach(name -> controllers.add("-" + name));
      if (endpointsAtUsualRate) {
        ENDPOINT_CONTROLLERS.forEach(name -> controllers.add("-" + name));
      }
      arguments.add("--controllers=" + String.join(",", controllers));
      arguments.addAll(controllerManagerArguments);
      return start(Tool.KUBE_CONTROLLER_MANAGER, arguments);
    }

    private GuardedProcess startEndpointControllers() {
      List<String> arguments = commonArguments(endpointControllersPort);
      arguments.add("--controllers=" + String.join(",", ENDPOINT_CONTROLLERS));
      return start(Tool.KUBE_CONTROLLER_MANAGER, "endpoint-controllers", arguments);
    }

    private List<String> commonArguments(int port) {
      return new ArrayList<>(
          List.of(
              "--kubeconfig=admin.kubeconfig",
              "--bind-address=127.0.0.1",
              "--secure-port=" + port,
              "--tls-cert-file=" + SERVING_CERTIFICATE,
              "--tls-private-key-file=" + SERVING_KEY,
              "--leader-elect=false",
              "--profiling=false"));
    }

    private GuardedProcess startScheduler() {
      List<String> arguments =
          new ArrayList<>(
              List.of(
                  "--config=scheduler.yaml",
                  "--bind-address=127.0.0.1",
                  "--secure-port=" + schedulerPort,
                  "--tls-cert-file=" + SERVING_CERTIFICATE,
                  "--tls-private-key-file=" + SERVING_KEY));
      if (podGroups) {
        // Each try of a waiting gang writes its PodGroup, which wakes it; without the pause of the
        // last gate kube-scheduler 1.36 tries again at once and keeps a CPU busy.
        arguments.add(
            "--feature-gates=GenericWorkload=true,GangScheduling=true,SchedulerPopFromBackoffQ=false");
      }
      arguments.addAll(schedulerArguments);
      return start(Tool.KUBE_SCHEDULER, arguments);
    }

    private GuardedProcess start(Tool tool, List<String> arguments) {
      return start(tool, tool.program(), arguments);
    }

    private GuardedProcess start(Tool tool, String name, List<String> arguments) {
      List<String> command = new ArrayList<>(List.of(binaries.binary(tool).toString()));
      command.addAll(arguments);
      boolean last = tool == Tool.ETCD;
      GuardedProcess process =
          GuardedProcess.start(
              name,
              command,
              directory,
              memoryForTime ? Map.of("GOGC", "500", "GOMEMLIMIT", "1GiB") : Map.of(),
              directory.resolve(name + ".log"),
              last && fixedDirectory == null ? directory : null);
      processes.addLast(process);
      return process;
    }

    private void await(GuardedProcess process, Callable<Boolean> condition) {
      try {
        Awaitility.await(process.name())
            .atMost(startLimit)
            .pollDelay(Duration.ZERO)
            .pollInterval(POLL)
            .until(
                () -> {
                  if (!process.isAlive()) {
                    throw new ControlPlaneException(
                        process.name()
                            + " ended while it was starting:\n"
                            + process.lastLines(LOG_LINES));
                  }
                  return condition.call();
                });
      } catch (ConditionTimeoutException late) {
        throw new ControlPlaneException(
            process.name()
                + (" is not ready after " + startLimit.toSeconds() + " s:\n")
                + process.lastLines(LOG_LINES),
            late);
      }
    }
  }

  private static boolean listens(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Asks over HTTPS whether something is there. */
  private static final class Probe {
    private final HttpClient http;
    private final String token;

    Probe(String authorityPem, String token) {
      this.http =
          HttpClient.newBuilder()
              .connectTimeout(Duration.ofSeconds(2))
              .sslContext(TrustedAuthority.context(authorityPem))
              .version(HttpClient.Version.HTTP_1_1)
              .build();
      this.token = token;
    }

    boolean ok(String url) throws InterruptedException {
      return status(url) == 200;
    }

    /** The HTTP status, or 0 when there was no answer. */
    int status(String url) throws InterruptedException {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(url))
              .timeout(Duration.ofSeconds(5))
              .header("Authorization", "Bearer " + token)
              .build();
      try {
        return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
      } catch (IOException e) {
        return 0;
      }
    }
  }
}
