package dev.tensorstack.training.tryout;

import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * One thing that is done to an elastic job while it trains, and what has to become of it.
 *
 * @param title what is done, for people
 * @param action does it; gets the job as it is just before
 * @param nodes how many pods train afterwards, the master and the workers with the lowest indexes
 * @param replaced replicas with another pod afterwards, such as {@code worker-0}; all others that
 *     were there keep theirs
 * @param attempts how many attempts it takes
 * @param counted how many restarts it costs
 */
record ElasticStep(
    String title,
    Consumer<ElasticView> action,
    int nodes,
    Set<String> replaced,
    int attempts,
    int counted) {

  /** Copies the set. */
  ElasticStep {
    replaced = Set.copyOf(replaced);
  }

  /**
   * What still has to come.
   *
   * @param before the job as it was when the step was taken
   * @param now the job now
   * @param output what the training has printed
   * @return reasons to wait, for people; empty when the step has had its effect
   */
  List<String> missing(ElasticView before, ElasticView now, TrainingOutput output) {
    List<String> missing = new ArrayList<>();
    if (!now.live().keySet().equals(wanted())) {
      missing.add("the pods are " + now.live().keySet() + ", not " + wanted());
    }
    now.live()
        .forEach(
            (replica, pod) -> {
              if (!"Running".equals(pod.getStatus().getPhase())) {
                missing.add("pod " + replica + " is " + pod.getStatus().getPhase());
              }
            });
    for (String replica : replaced) {
      if (now.samePod(before, replica)) {
        missing.add("pod " + replica + " is still the same");
      }
    }
    if (now.attempt() < before.attempt() + attempts) {
      missing.add("the attempt is still " + now.attempt());
    }
    if (output.trained(before.reported(), nodes).isEmpty()) {
      missing.add("no training of world_size " + nodes + " was started and has finished an epoch");
    }
    return missing;
  }

  /**
   * What is not as promised.
   *
   * @param before the job as it was when the step was taken
   * @param now the job now
   * @param output what the training has printed
   * @return one sentence for each promise that does not hold
   */
  List<String> broken(ElasticView before, ElasticView now, TrainingOutput output) {
    List<String> broken = new ArrayList<>(output.forgotten(before.reported()));
    for (String replica : before.live().keySet()) {
      boolean kept = wanted().contains(replica) && !replaced.contains(replica);
      if (kept && now.live().containsKey(replica) && !now.samePod(before, replica)) {
        broken.add("pod " + replica + " was replaced; it should have been left alone");
      }
    }
    equal("attempt", before.attempt() + attempts, now.attempt(), broken);
    equal("counted restarts", before.counted() + counted, now.counted(), broken);
    equal("disruptions", before.disruptions(), now.disruptions(), broken);
    for (Pod pod : now.live().values()) {
      String id =
          "--rdzv_id="
              + pod.getMetadata().getLabels().get(TrainingJobLabels.JOB_UID)
              + "-"
              + now.attempt();
      List<String> words = new ArrayList<>();
      pod.getSpec()
          .getContainers()
          .forEach(
              c -> {
                words.addAll(c.getCommand());
                words.addAll(c.getArgs());
              });
      if (!words.contains(id)) {
        broken.add("pod " + pod.getMetadata().getName() + " has not the rendezvous " + id);
      }
    }
    return broken;
  }

  /** The result of a step that has had its effect, for people. */
  String result(ElasticView before, ElasticView now, TrainingOutput output) {
    List<String> kept = new ArrayList<>();
    List<String> made = new ArrayList<>();
    now.live()
        .keySet()
        .forEach(replica -> (now.samePod(before, replica) ? kept : made).add(replica));
    SortedSet<String> gone = new TreeSet<>(before.live().keySet());
    gone.removeAll(now.live().keySet());
    int epochs = output.trained(before.reported(), nodes).orElse(0);
    return "world_size "
        + nodes
        + (epochs == 0 ? ", from the beginning" : ", continuing after epoch " + epochs)
        + "; pods kept "
        + kept
        + ", new "
        + made
        + ", gone "
        + gone
        + "; attempt "
        + now.attempt()
        + ", counted restarts "
        + now.counted()
        + ", disruptions "
        + now.disruptions();
  }

  private SortedSet<String> wanted() {
    SortedSet<String> wanted = new TreeSet<>(Set.of("master-0"));
    for (int i = 0; i < nodes - 1; i++) {
      wanted.add("worker-" + i);
    }
    return wanted;
  }

  private static void equal(String what, int wanted, int is, List<String> broken) {
    if (wanted != is) {
      broken.add(what + ": " + is + ", not " + wanted);
    }
  }
}
