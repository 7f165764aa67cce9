package dev.tensorstack.training.benchmark;

import dev.tensorstack.training.apiproxy.ApiProxy;
import dev.tensorstack.training.controlplane.ControlPlane;
import dev.tensorstack.training.operator.OperatorProcess;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.PrintStream;
import java.net.HttpURLConnection;
import java.nio.file.Files;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * Jobs of both kinds whose pods fail, are evicted and deleted, an operator that is killed every few
 * seconds, and between it and the API server a proxy that spoils one request of seven. Afterwards
 * every job must have ended as its story says, with exact counts, nothing left over, and no pod
 * created twice.
 *
 * <p>Started by {@code ./mvnw -Pbenchmark -Dbenchmark=FaultsUnderLoad -Dminutes=3}. Exit code: 0
 * when all of that is so, else 1.
 */
public final class FaultsUnderLoad {

  private static final int JOBS_PER_MINUTE = 42;
  private static final int BATCH = 7;
  private static final int LEAST_REQUESTS = 30;
  private static final int MORE_REQUESTS = 300;
  private static final Duration LONGEST_LIFE = Duration.ofSeconds(30);
  private static final long START_LIMIT_SECONDS = 90;
  private static final long POLL_MILLIS = 100;
  private static final double MINUTE = 60;
  private static final double MOST_TIMES = 4;
  private static final double SHARE_OF_SUBMISSIONS = 0.8;
  private static final Duration END_LIMIT = Duration.ofMinutes(5);
  private static final Duration SETTLE = Duration.ofMinutes(2);

  private final double minutes = Double.parseDouble(property("minutes", "3"));
  private final long seed = Long.parseLong(property("seed", Long.toString(System.nanoTime())));
  private final int jobs =
      Integer.parseInt(property("jobs", Long.toString(Math.round(minutes * JOBS_PER_MINUTE))));
  private final PrintStream out;
  private final Random random = new Random(seed);
  private final AtomicInteger kills = new AtomicInteger();
  private final List<String> violations = new CopyOnWriteArrayList<>();

  private FaultsUnderLoad(PrintStream out) {
    this.out = out;
  }

  /**
   * Runs it and ends the JVM.
   *
   * @param arguments none; the system properties {@code minutes}, {@code jobs}, {@code seed} and
   *     {@code operator.binary} say what to do
   * @throws Exception when something unforeseen happens
   */
  public static void main(String[] arguments) throws Exception {
    System.exit(new FaultsUnderLoad(System.out).run());
  }

  private int run() throws InterruptedException, IOException {
    say("seed " + seed + ", " + minutes + " minutes, " + jobs + " jobs");
    try (ControlPlane controlPlane = ScaleScene.controlPlane(false)) {
      KubernetesClient client = controlPlane.client();
      OperatorProcess.installCrds(client);
      ScaleScene.addNode(client, SwiftKubelet.NODE);
      String namespace = controlPlane.createNamespace("faults");
      Api api = Api.ofAdministrator(controlPlane);
      BenchmarkAccount account = BenchmarkAccount.create(controlPlane, "operator");
      try (ApiProxy proxy =
              ApiProxy.start(Config.fromKubeconfig(Files.readString(account.kubeconfig())));
          JobDesk desk = new JobDesk(api, List.of(JobResource.values()));
          StoryTeller teller = new StoryTeller(namespace, api, desk);
          SwiftKubelet kubelet = SwiftKubelet.start(api, pod -> SwiftKubelet.Course.RUN, teller)) {
        teller.begin(kubelet);
        suffer(proxy, teller, () -> ended(teller, desk, namespace));
        long ended = ended(teller, desk, namespace);
        say("killed " + kills.get() + " times; " + ended + " of " + jobs + " jobs ended meanwhile");
        if (ended * 2 < jobs) {
          violations.add(
              "less than half of the jobs ended while there were faults: the machine is too slow"
                  + " for this to prove anything, or the operator gets nowhere");
        }
        try (OperatorProcess operator = launch(proxy)) {
          long begin = System.nanoTime();
          boolean allEnded =
              ScaleScene.awaitAtMost(
                  END_LIMIT, () -> ended(teller, desk, namespace) == jobs || !operator.isAlive());
          if (!allEnded) {
            violations.add(
                "jobs do not end though there are no faults any more; log of the last operator: "
                    + operator.log());
          }
          say(String.format(Locale.ROOT, "all jobs ended after %.0f s more", seconds(begin)));
          // What is left to do for jobs that have ended: pods that still run are stopped.
          boolean unused =
              ScaleScene.awaitAtMost(
                  SETTLE,
                  () -> teller.stories().keySet().stream().allMatch(job -> idle(teller, job)));
          check(teller, desk, namespace);
          nothingIsLeft(client, desk, namespace);
        }
        violations.addAll(teller.violations());
        say("requests of the operators: " + proxy.requests().size());
      }
    }
    violations.forEach(one -> say("VIOLATION: " + one));
    say(
        violations.isEmpty()
            ? "all is well; seed " + seed
            : violations.size() + " violations; seed " + seed);
    return violations.isEmpty() ? 0 : 1;
  }

  /** Submits the jobs while everything goes wrong, and longer if too few come to their end. */
  private void suffer(ApiProxy proxy, StoryTeller teller, LongSupplier ended)
      throws InterruptedException {
    AtomicBoolean over = new AtomicBoolean();
    Thread killer = new Thread(() -> keepKilling(proxy, over), "killer");
    killer.setDaemon(true);
    try (RandomFaults faults = new RandomFaults(proxy, seed)) {
      killer.start();
      long begin = System.nanoTime();
      int submitted = 0;
      while (seconds(begin) < minutes * MINUTE
          || (ended.getAsLong() * 2 < jobs && seconds(begin) < MOST_TIMES * minutes * MINUTE)) {
        // All are there after four fifths of the time.
        double share = Math.min(1, seconds(begin) / (minutes * MINUTE * SHARE_OF_SUBMISSIONS));
        int due = Math.min(jobs, (int) (jobs * share) + BATCH);
        if (submitted < due) {
          teller.submit(batch(submitted, due));
          submitted = due;
        }
        TimeUnit.SECONDS.sleep(1);
      }
      say("faults: " + faults.counts());
    }
    over.set(true);
    killer.join();
  }

  private static Map<String, Story> batch(int from, int to) {
    Map<String, Story> batch = new LinkedHashMap<>();
    for (int i = from; i < to; i++) {
      Story story = Story.values()[i % Story.values().length];
      batch.put(story.name().toLowerCase(Locale.ROOT).replace('_', '-') + "-" + i, story);
    }
    return batch;
  }

  /** Starts an operator, lets it work for some seconds, kills it, and so on. */
  private void keepKilling(ApiProxy proxy, AtomicBoolean over) {
    try {
      while (!over.get()) {
        OperatorProcess operator = launch(proxy);
        try {
          long begin = System.nanoTime();
          while (!over.get()
              && operator.isAlive()
              && seconds(begin) < START_LIMIT_SECONDS
              && operator.get("/q/health/ready").statusCode() != HttpURLConnection.HTTP_OK) {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
          }
          if (!operator.isAlive() || seconds(begin) >= START_LIMIT_SECONDS) {
            violations.add(
                "an operator did not get ready, or ended by itself; log: " + operator.log());
          }
          // After so many requests, so that it is the same on machines that are slow or fast.
          int last = proxy.requests().size() + LEAST_REQUESTS + random.nextInt(MORE_REQUESTS);
          boolean unused =
              ScaleScene.awaitAtMost(
                  LONGEST_LIFE,
                  () -> over.get() || !operator.isAlive() || proxy.requests().size() >= last);
          if (!operator.isAlive()) {
            violations.add("an operator ended by itself; log: " + operator.log());
          }
        } finally {
          operator.kill();
          kills.incrementAndGet();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static OperatorProcess launch(ApiProxy proxy) {
    return OperatorProcess.launch(
        proxy.kubeconfig(),
        Map.of("OPERATOR_RESTART_DELAY_BASE", "1s", "OPERATOR_RESTART_DELAY_MAX", "2s"),
        OperatorKind.chosen().get(OperatorKind.chosen().size() - 1).program());
  }

  private static boolean idle(StoryTeller teller, String job) {
    return teller.pods(job).stream().noneMatch(PodLife::live);
  }

  private void check(StoryTeller teller, JobDesk desk, String namespace) {
    Map<Story, Integer> good = new TreeMap<>();
    teller
        .stories()
        .forEach(
            (name, story) -> {
              List<String> wrong = story.wrong(desk.job(namespace, name), teller.pods(name));
              wrong.forEach(one -> violations.add(name + ": " + one));
              good.merge(story, wrong.isEmpty() ? 1 : 0, Integer::sum);
            });
    say("jobs that ended as they must: " + good + " of " + jobs);
  }

  /** The jobs go, and everything that was theirs goes with them. */
  private void nothingIsLeft(KubernetesClient client, JobDesk desk, String namespace)
      throws InterruptedException {
    desk.deleteAll(namespace);
    boolean empty =
        ScaleScene.awaitAtMost(
            SETTLE,
            () ->
                client.pods().inNamespace(namespace).list().getItems().isEmpty()
                    && client.services().inNamespace(namespace).list().getItems().isEmpty());
    if (!empty) {
      violations.add(
          "left over: "
              + client.pods().inNamespace(namespace).list().getItems().size()
              + " pods, "
              + client.services().inNamespace(namespace).list().getItems().size()
              + " Services");
    }
  }

  private static long ended(StoryTeller teller, JobDesk desk, String namespace) {
    return teller.stories().keySet().stream()
        .filter(name -> desk.job(namespace, name).finished != 0)
        .count();
  }

  private void say(String line) {
    out.println(line);
    out.flush();
  }

  private static double seconds(long begin) {
    return Percentile.seconds(System.nanoTime() - begin);
  }

  private static String property(String name, String otherwise) {
    String value = System.getProperty(name, "");
    return value.isEmpty() ? otherwise : value;
  }
}
