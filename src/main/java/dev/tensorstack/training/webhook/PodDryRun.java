package dev.tensorstack.training.webhook;

import dev.tensorstack.training.core.model.JobQueue;
import dev.tensorstack.training.core.model.JobSpec;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.pod.PodFactory;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.core.policy.ReplicaLayout;
import dev.tensorstack.training.kind.JobAdmission;
import dev.tensorstack.training.kind.WarningTexts;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lets the API server check the pods of a job without creating them, one for each replica type; one
 * for several types when it can only say the same of them, and none that is like one it has taken a
 * moment ago. Two seconds in all; what is not answered by then is no objection.
 *
 * @param <S> the Java type of the spec
 */
final class PodDryRun<S> {

  private static final long LIMIT_MILLIS = 2_000;

  private final JobAdmission<?, S> kind;
  private final PodTrial trial;
  private final AcceleratorResources accelerators;
  private final TakenPods taken;
  private final KubernetesSerialization serialization;

  PodDryRun(
      JobAdmission<?, S> kind,
      PodTrial trial,
      AcceleratorResources accelerators,
      TakenPods taken,
      KubernetesSerialization serialization) {
    this.kind = kind;
    this.trial = trial;
    this.accelerators = accelerators;
    this.taken = taken;
    this.serialization = serialization;
  }

  /** Asks the API server: sends one pod with {@code dryRun=All}. */
  interface PodTrial {

    /** Has no objection to any pod. */
    PodTrial NONE = (pod, path) -> CompletableFuture.completedFuture(PodAnswer.NO_OBJECTION);

    /**
     * Tries to create a pod.
     *
     * @return the meaning of the answer; fails or never completes when there is none
     */
    CompletionStage<PodAnswer> create(Pod pod, TemplatePath path);

    /**
     * Whether the cluster has installed what serves an API group.
     *
     * @param group its name
     * @return false when it certainly has not; fails or never completes when there is no answer
     */
    default CompletionStage<Boolean> serves(String group) {
      return CompletableFuture.completedFuture(true);
    }
  }

  /**
   * Tries the pods of a job that has no violations.
   *
   * @param call the question
   * @param spec the spec with all defaults
   * @return a refusal, or an admission with warnings; never fails
   */
  CompletionStage<Decision> of(AdmissionCall call, S spec) {
    if (trial == PodTrial.NONE) {
      return CompletableFuture.completedFuture(Decision.ADMITTED);
    }
    Map<String, CompletableFuture<PodAnswer>> asked = new HashMap<>();
    List<CompletableFuture<PodAnswer>> answers = new ArrayList<>();
    TrainingJob job = atItsLargest(job(call, spec));
    ReplicaLayout layout = ReplicaLayout.of(job.spec());
    // There is no group yet, and Volcano up to 1.11 refuses a pod whose group is missing.
    PodFactory factory = new PodFactory(job, layout, accelerators, null, null);
    RunModeKind mode = job.spec().debug() ? RunModeKind.DEBUG : RunModeKind.TRAIN;
    for (JobAdmission.TypeTemplate type : kind.templates(spec)) {
      ReplicaId first = new ReplicaId(type.type(), 0);
      if (layout.contains(first)) {
        Pod pod = factory.pod(first, 0, 0, mode);
        String likeness = PodLikeness.of(pod, job, first, serialization);
        if (!taken.contains(likeness)) {
          TemplatePath path = new TemplatePath(type.template(), pod, type.path());
          answers.add(ask(pod, path, likeness, asked));
        }
      }
    }
    answers.add(queue(job.spec().queue()));
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .thenApply(
            done ->
                new Decision(
                    answers.stream().flatMap(one -> one.join().violations().stream()).toList(),
                    WarningTexts.fitting(
                        WarningTexts.merged(
                            answers.stream()
                                .flatMap(one -> one.join().warnings().stream())
                                .toList()),
                        WarningTexts.ROOM_OF_VALIDATE),
                    null));
  }

  /** A job that names a queue of a kind that the cluster does not have starts at once. */
  private CompletableFuture<PodAnswer> queue(@Nullable JobQueue queue) {
    if (queue == null) {
      return CompletableFuture.completedFuture(PodAnswer.NO_OBJECTION);
    }
    String group = queue.kinds().get(0).group();
    return trial
        .serves(group)
        .toCompletableFuture()
        .completeOnTimeout(true, LIMIT_MILLIS, TimeUnit.MILLISECONDS)
        .exceptionally(notAnswered -> true)
        .thenApply(
            served ->
                served
                    ? PodAnswer.NO_OBJECTION
                    : new PodAnswer(
                        List.of(),
                        List.of(
                            "metadata.labels: the job names the queue "
                                + queue.name()
                                + ", but the cluster does not serve "
                                + group
                                + ", so it starts without waiting; install what serves it, or"
                                + " take the label away")));
  }

  /** What is said of a pod is said with the fields of its own template. */
  private CompletableFuture<PodAnswer> ask(
      Pod pod,
      TemplatePath path,
      String likeness,
      Map<String, CompletableFuture<PodAnswer>> asked) {
    CompletableFuture<PodAnswer> ofLike = asked.get(likeness);
    if (ofLike != null) {
      return ofLike
          .thenCompose(answer -> answer.taken() ? ofLike : ask(pod, path))
          // In all: after a first pod without an answer the time is up.
          .completeOnTimeout(PodAnswer.NO_OBJECTION, LIMIT_MILLIS, TimeUnit.MILLISECONDS);
    }
    CompletableFuture<PodAnswer> answer =
        ask(pod, path)
            .whenComplete(
                (said, never) -> {
                  if (said.taken()) {
                    taken.add(likeness);
                  }
                });
    asked.put(likeness, answer);
    return answer;
  }

  private CompletableFuture<PodAnswer> ask(Pod pod, TemplatePath path) {
    return trial
        .create(pod, path)
        .toCompletableFuture()
        .completeOnTimeout(PodAnswer.NO_OBJECTION, LIMIT_MILLIS, TimeUnit.MILLISECONDS)
        .exceptionally(notAnswered -> PodAnswer.NO_OBJECTION);
  }

  /** With all its nodes, so that a type that has no replica yet is tried as well. */
  private static TrainingJob atItsLargest(TrainingJob job) {
    JobSpec spec = job.spec();
    return spec.elastic() == null ? job : job.withSpec(spec.scaledTo(spec.elastic().maxReplicas()));
  }

  private TrainingJob job(AdmissionCall call, S spec) {
    String given = call.object().path("metadata").path("uid").asText();
    return kind.job(
        call.namespace(),
        call.name() == null ? "job" : call.name(),
        given.isEmpty() ? call.uid() : given,
        call.labels(),
        spec);
  }
}
