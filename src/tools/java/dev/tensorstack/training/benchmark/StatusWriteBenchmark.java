package dev.tensorstack.training.benchmark;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tensorstack.training.controlplane.ControlPlane;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What one status write costs the API server, and which part of that is checking: the same write to
 * a job of the CRD as it is installed, of a twin without rules in CEL, and of one without a schema.
 *
 * <p>Started by {@code ./mvnw -Pbenchmark -Dbenchmark=StatusWriteBenchmark}. The operator runs each
 * job once for a real status; then nothing but etcd and the API server runs, and the three take
 * turns. Bytes and allocations hardly differ from run to run; CPU and time do, on a busy machine.
 */
public final class StatusWriteBenchmark {

  private static final int IDLE_SECONDS = 2;

  /** The first writes of a CRD cost more: a tenth of a round is not counted. */
  private static final int WARM_UP_PART = 10;

  /** Of a large status fewer writes say as much. */
  private static final int LARGE_BYTES = 32 * 1024;

  private static final int LARGE_PART = 5;
  private static final double NANOS = 1e9;
  private static final double AT_REST = 0.1;

  private final int rounds = number("rounds", 3);
  private final int writes = number("creations", 300);
  private final int[] sizes =
      Arrays.stream(property("pods", "4,64,1000,5000").split(",", -1))
          .mapToInt(Integer::parseInt)
          .toArray();
  private final String policy = property("policy", "");
  private final Path file = Path.of("target/benchmark/status-writes.md");
  private final PrintStream out;

  private StatusWriteBenchmark(PrintStream out) {
    this.out = out;
  }

  /**
   * Runs the benchmark and ends the JVM.
   *
   * @param arguments none; the system properties {@code rounds}, {@code creations} (status writes
   *     of each round), {@code pods} ({@code 4,64,1000,5000}: the replicas of the toy jobs) and
   *     {@code policy} (a manifest, for example of a ValidatingAdmissionPolicy, that is applied
   *     after these rounds, for further ones with it) say what to do
   * @throws Exception when something unforeseen happens
   */
  public static void main(String[] arguments) throws Exception {
    new StatusWriteBenchmark(System.out).run();
    System.exit(0);
  }

  private void run() throws InterruptedException, IOException {
    say("the operator runs the jobs, for their status");
    Map<String, ObjectNode> jobs = new LinkedHashMap<>();
    jobs.put(SampledJobs.REALISTIC, SampledJobs.realistic());
    jobs.putAll(SampledJobs.small(sizes));
    List<StatusSample> samples = StatusSampling.of(jobs);
    say("starting a control plane without controllers");
    try (ControlPlane controlPlane =
        ControlPlane.builder().controllerManager(false).scheduler(false).start()) {
      Api api = Api.ofAdministrator(controlPlane);
      for (CrdTwin crd : CrdTwin.values()) {
        Api.Answer unused =
            api.post(
                    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                    crd.crd().toString().getBytes(UTF_8))
                .orThrow("the creation of the CRD " + crd.title());
        controlPlane.awaitCrd(crd.crdName());
      }
      String namespace = controlPlane.createNamespace("status");
      StatusWriteReport report = new StatusWriteReport(conditions(controlPlane));
      measure(api, namespace, samples, "", report);
      if (!policy.isEmpty()) {
        say(controlPlane.kubectl("apply", "-f", policy).toString());
        TimeUnit.SECONDS.sleep(2 * IDLE_SECONDS);
        measure(api, namespace, samples, ", with the policy", report);
      }
      say("\n" + report.markdown());
      say("written: " + file);
    }
  }

  private String conditions(ControlPlane controlPlane) {
    return "One status write, medians of %d rounds of %d writes (of a large status a fifth), one at a time; Kubernetes %s."
        .formatted(rounds, writes, controlPlane.client().getKubernetesVersion().getGitVersion());
  }

  /** A job of its own for each CRD and sample; all take turns in each round. */
  private void measure(
      Api api, String namespace, List<StatusSample> samples, String with, StatusWriteReport report)
      throws InterruptedException, IOException {
    Map<StatusSample, Map<CrdTwin, StatusWrites>> all = new LinkedHashMap<>();
    for (StatusSample sample : samples) {
      Map<CrdTwin, StatusWrites> byCrd = new LinkedHashMap<>();
      for (CrdTwin crd : CrdTwin.values()) {
        String name = "job-" + all.size() + (with.isEmpty() ? "" : "-again");
        StatusWrites job = StatusWrites.of(api, crd, namespace, name, sample);
        job.write(Math.max(1, writesOf(sample) / WARM_UP_PART));
        byCrd.put(crd, job);
      }
      all.put(sample, byCrd);
    }
    for (int round = 0; round < rounds; round++) {
      ScaleScene.awaitQuiet(() -> ApiServerUsage.now(api).cpuSeconds(), AT_REST);
      Rest rest = Rest.of(api);
      for (Map.Entry<StatusSample, Map<CrdTwin, StatusWrites>> one : all.entrySet()) {
        StatusSample sample = one.getKey();
        List<Map.Entry<CrdTwin, StatusWrites>> turns = new ArrayList<>(one.getValue().entrySet());
        java.util.Collections.rotate(turns, round);
        for (Map.Entry<CrdTwin, StatusWrites> turn : turns) {
          StatusWriteCost cost = cost(api, turn.getValue(), writesOf(sample), rest);
          report.add(sample, turn.getKey().title() + with, cost);
        }
      }
      report.write(file);
      int failures =
          all.values().stream()
              .flatMap(byCrd -> byCrd.values().stream())
              .mapToInt(StatusWrites::failures)
              .sum();
      say(
          "round "
              + (round + 1)
              + with
              + (failures == 0 ? "" : ", writes that failed: " + failures));
    }
  }

  private int writesOf(StatusSample sample) {
    return sample.statusBytes() < LARGE_BYTES ? writes : Math.max(1, writes / LARGE_PART);
  }

  private static StatusWriteCost cost(Api api, StatusWrites job, int times, Rest rest) {
    ApiServerUsage before = ApiServerUsage.now(api);
    long begin = System.nanoTime();
    job.write(times);
    double seconds = (System.nanoTime() - begin) / NANOS;
    ApiServerUsage used = rest.takenFrom(ApiServerUsage.now(api).since(before), seconds);
    return new StatusWriteCost(used.dividedBy(times), seconds / times);
  }

  /**
   * What the API server uses when nobody asks it for anything but its metrics.
   *
   * @param look at its metrics
   * @param second of doing nothing
   */
  private record Rest(ApiServerUsage look, ApiServerUsage second) {

    static Rest of(Api api) throws InterruptedException {
      ApiServerUsage first = ApiServerUsage.now(api);
      ApiServerUsage look = ApiServerUsage.now(api).since(first);
      ApiServerUsage before = ApiServerUsage.now(api);
      TimeUnit.SECONDS.sleep(IDLE_SECONDS);
      ApiServerUsage idle = ApiServerUsage.now(api).since(before).since(look);
      return new Rest(look, idle.dividedBy(IDLE_SECONDS));
    }

    ApiServerUsage takenFrom(ApiServerUsage used, double seconds) {
      return used.since(look).plus(second, -seconds);
    }
  }

  private void say(String line) {
    out.println(line);
    out.flush();
  }

  private static String property(String name, String otherwise) {
    String value = System.getProperty(name, "");
    return value.isEmpty() ? otherwise : value;
  }

  private static int number(String name, int otherwise) {
    return Integer.parseInt(property(name, Integer.toString(otherwise)));
  }
}
