package dev.tensorstack.training.benchmark;

import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.operator.OperatorProcess;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * How much time the webhooks add to the creation of a job: the same creations without webhooks,
 * with them, and with them and the dry run of the pods, one at a time and many in parallel; and how
 * long the submission of 200 jobs takes.
 *
 * <p>Started by {@code ./mvnw -Pbenchmark -Dbenchmark=AdmissionBenchmark}. The three take turns in
 * three namespaces; two operators, one with the dry run and one without, are called from one
 * namespace each. Exit code: 0 when the medians of creations one at a time are within the goals.
 */
public final class AdmissionBenchmark {

  /** What stands between a user's request and its answer. */
  enum Mode {
    NO_WEBHOOKS("no webhooks"),
    WEBHOOKS("webhooks, no dry run"),
    DRY_RUN("webhooks and dry run");

    private final String title;

    Mode(String title) {
      this.title = title;
    }

    /** For people. */
    String title() {
      return title;
    }
  }

  /** A burst of jobs, as one user's script sends it, and how often it is measured at least. */
  private static final int SUBMITTED = 200;

  private static final int LEAST_SUBMISSIONS = 3;
  private static final int MILLIS = 1_000;

  private final int rounds = Integer.getInteger("rounds", 5);
  private final int warmUps = Integer.getInteger("warmups", 5);
  private final int creations = Integer.getInteger("creations", 160);
  private final int parallel = Integer.getInteger("parallel", 16);
  private final OperatorKind kind = OperatorKind.ofPackaged();
  private final Path json =
      Path.of(System.getProperty("json", AdmissionReport.file(kind).toString()));
  private final PrintStream out;

  private AdmissionBenchmark(PrintStream out) {
    this.out = out;
  }

  /**
   * Runs the benchmark and ends the JVM.
   *
   * @param arguments none; the system properties {@code rounds}, {@code warmups}, {@code creations}
   *     (of each round and mode), {@code parallel} and {@code json} (where the result goes) say
   *     what to do
   * @throws Exception when something unforeseen happens
   */
  public static void main(String[] arguments) throws Exception {
    System.exit(new AdmissionBenchmark(System.out).run());
  }

  private int run() throws IOException, InterruptedException {
    say("starting the control plane");
    try (ControlPlane controlPlane = ControlPlane.start()) {
      KubernetesClient client = controlPlane.client();
      OperatorProcess.installCrds(client);
      Map<Mode, String> namespaces = new EnumMap<>(Mode.class);
      for (Mode mode : Mode.values()) {
        namespaces.put(mode, controlPlane.createNamespace("admission"));
      }
      say("starting two operators");
      try (OperatorProcess plain = operator(controlPlane, Mode.WEBHOOKS, namespaces);
          OperatorProcess dryRun = operator(controlPlane, Mode.DRY_RUN, namespaces)) {
        say("logs: " + plain.log() + ", " + dryRun.log());
        AdmissionReport report =
            new AdmissionReport(
                Map.of(
                    "operator",
                    kind.title(),
                    "kubernetes",
                    client.getKubernetesVersion().getGitVersion(),
                    "processors",
                    Runtime.getRuntime().availableProcessors(),
                    "java",
                    System.getProperty("java.vm.name") + " " + Runtime.version(),
                    "rounds",
                    rounds + " of " + creations + " after " + warmUps + " to warm up"));
        Api api = Api.ofAdministrator(controlPlane);
        try (JobCreations one = new JobCreations(client, api, 1);
            JobCreations some = new JobCreations(client, api, parallel)) {
          measure(one, namespaces, report, 1);
          measure(some, namespaces, report, parallel);
          Map<Mode, ProcessUsage> operators =
              Map.of(
                  Mode.WEBHOOKS, new ProcessUsage(plain.pid()),
                  Mode.DRY_RUN, new ProcessUsage(dryRun.pid()));
          measureSubmissions(some, namespaces, operators, apiServer(controlPlane), report);
        }
        report.print(out);
        report.write(json);
        say("written: " + json);
        return report.withinGoals() ? 0 : 1;
      }
    }
  }

  /** An operator that is asked about one namespace and reconciles none of the jobs. */
  private static OperatorProcess operator(
      ControlPlane controlPlane, Mode mode, Map<Mode, String> namespaces) {
    String configuration = "benchmark-" + mode.name().toLowerCase(Locale.ROOT);
    configuration = configuration.replace('_', '-');
    OperatorProcess operator =
        OperatorProcess.startWithWebhooks(
            controlPlane.kubeconfig(),
            Map.of(
                "OPERATOR_WATCH_NAMESPACES",
                "kube-public",
                "OPERATOR_WEBHOOKS_CONFIGURATION",
                configuration,
                "OPERATOR_WEBHOOKS_SECRET",
                configuration,
                "OPERATOR_WEBHOOKS_POD_DRY_RUN",
                Boolean.toString(mode == Mode.DRY_RUN),
                // It would take the change of the selector back.
                "OPERATOR_WEBHOOKS_CHECK_INTERVAL",
                "1h"));
    callOnlyFrom(controlPlane.client(), configuration + "-url", namespace(namespaces, mode));
    return operator;
  }

  private static void callOnlyFrom(KubernetesClient client, String name, String namespace) {
    LabelSelector only =
        new LabelSelectorBuilder()
            .addToMatchLabels("kubernetes.io/metadata.name", namespace)
            .build();
    client
        .admissionRegistration()
        .v1()
        .mutatingWebhookConfigurations()
        .withName(name)
        .edit(
            configuration -> {
              configuration.getWebhooks().forEach(webhook -> webhook.setNamespaceSelector(only));
              return configuration;
            });
    client
        .admissionRegistration()
        .v1()
        .validatingWebhookConfigurations()
        .withName(name)
        .edit(
            configuration -> {
              configuration.getWebhooks().forEach(webhook -> webhook.setNamespaceSelector(only));
              return configuration;
            });
  }

  private void measure(
      JobCreations creator, Map<Mode, String> namespaces, AdmissionReport report, int threads)
      throws InterruptedException {
    for (int round = 0; round < warmUps + rounds; round++) {
      List<String> line = new ArrayList<>();
      for (Mode mode : turns(round)) {
        List<Double> millis = creator.create(namespace(namespaces, mode), creations);
        if (round >= warmUps) {
          report.add(threads, mode, millis);
        }
        line.add(mode.title() + " " + AdmissionReport.percentile(millis, 50) + " ms");
      }
      String when = round < warmUps ? "warm-up " + (round + 1) : "round " + (round + 1 - warmUps);
      say(when + ", " + threads + " at a time, medians: " + String.join(", ", line));
    }
  }

  private void measureSubmissions(
      JobCreations creator,
      Map<Mode, String> namespaces,
      Map<Mode, ProcessUsage> operators,
      ProcessUsage apiServer,
      AdmissionReport report) {
    // The first one, where connections are opened, is not counted.
    for (int round = 0; round <= Math.max(rounds, LEAST_SUBMISSIONS); round++) {
      List<String> line = new ArrayList<>();
      for (Mode mode : turns(round)) {
        ProcessUsage operator = operators.get(mode);
        double before = operator == null ? 0 : operator.cpuSeconds();
        double apiServerBefore = apiServer.cpuSeconds();
        double seconds = creator.submit(namespace(namespaces, mode), SUBMITTED);
        double used = operator == null ? 0 : operator.cpuSeconds() - before;
        double apiServerUsed = apiServer.cpuSeconds() - apiServerBefore;
        creator.deleteAll(namespace(namespaces, mode));
        if (round > 0) {
          report.addSubmission(
              mode,
              new AdmissionReport.Submission(
                  seconds, apiServerUsed * MILLIS / SUBMITTED, used * MILLIS / SUBMITTED));
        }
        line.add("%s %.2f s".formatted(mode.title(), seconds));
      }
      say("submission %d of %d jobs: %s".formatted(round, SUBMITTED, String.join(", ", line)));
    }
  }

  private static ProcessUsage apiServer(ControlPlane controlPlane) {
    String url = controlPlane.url();
    return ProcessUsage.ofChild(
        "kube-apiserver", "--secure-port=" + url.substring(url.lastIndexOf(':') + 1));
  }

  /** Whoever comes first finds the server as the last has left it: that takes turns, too. */
  private static List<Mode> turns(int round) {
    List<Mode> modes = new ArrayList<>(List.of(Mode.values()));
    Collections.rotate(modes, -round);
    return modes;
  }

  private static String namespace(Map<Mode, String> namespaces, Mode mode) {
    return Objects.requireNonNull(namespaces.get(mode));
  }

  private void say(String line) {
    out.println(line);
    out.flush();
  }
}
