package dev.tensorstack.training.kubectl.job;

import static dev.tensorstack.training.kubectl.job.Samples.pod;
import static dev.tensorstack.training.kubectl.job.Samples.ranked;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RanksTest {

  private static final Job TWO_TYPES =
      new Job(
          JobKind.TRAINING_JOB,
          Samples.tree(
              "{'metadata':{'name':'mnist','uid':'u1'},'spec':{'replicaSpecs':["
                  + "{'type':'master'},{'type':'worker','replicas':3}]}}"));

  @Test
  void ranksFollowTheOrderOfTypesAndIndexes() {
    List<RankedPod> pods =
        ranked(
            TWO_TYPES,
            pod("c", "worker", 2, 0, ""),
            pod("b", "worker", 0, 0, ""),
            pod("a", "master", 0, 0, ""));
    assertThat(pods).extracting(RankedPod::rank).containsExactly(0, 1, 3);
    assertThat(pods)
        .extracting(RankedPod::replica)
        .containsExactly("master-0", "worker-0", "worker-2");
  }

  @Test
  void theLatestPodOfAReplicaIsItsCurrentOne() {
    List<RankedPod> pods =
        ranked(
            TWO_TYPES,
            pod("mnist-1-worker-0-r10", "worker", 0, 1, ""),
            pod("mnist-1-worker-0-r2", "worker", 0, 1, ""),
            pod("mnist-1-worker-0", "worker", 0, 0, ""));
    assertThat(pods)
        .extracting(RankedPod::name)
        .containsExactly("mnist-1-worker-0", "mnist-1-worker-0-r2", "mnist-1-worker-0-r10");
    assertThat(Ranks.current(pods))
        .extracting(RankedPod::name)
        .containsExactly("mnist-1-worker-0-r10");
  }

  @Test
  void manyRanksAreToldShortly() {
    List<RankedPod> pods =
        ranked(
            TWO_TYPES,
            pod("a", "master", 0, 0, ""),
            pod("b", "worker", 0, 0, ""),
            pod("c", "worker", 1, 0, ""),
            pod("e", "worker", 3, 0, ""));
    assertThat(Ranks.inWords(pods)).isEqualTo("0 to 2, 4");
    assertThat(Ranks.inWords(pods.subList(0, 2))).isEqualTo("0, 1");
    assertThat(Ranks.inWords(List.of())).isEmpty();
  }

  @Test
  void podsOfAnEarlierJobOfThatNameAndTensorboardsAreLeftOut() {
    Tree foreign =
        Samples.tree(
            "{'metadata':{'name':'x','labels':{'replica-type':'worker','replica-index':'0'},"
                + "'ownerReferences':[{'uid':'other'}]}}");
    Tree tensorboard = Samples.tree("{'metadata':{'name':'mnist-tensorboard','labels':{}}}");
    assertThat(ranked(TWO_TYPES, foreign, tensorboard)).isEmpty();
  }

  @Test
  void aMastersWorkersComeAfterItWhateverTheOrderInTheSpec() {
    Job job = Samples.pytorchJob("", "{}");
    Tree worker =
        Samples.tree(
            "{'metadata':{'name':'mnist-worker-1','labels':{"
                + "'training.kubeflow.org/replica-type':'worker',"
                + "'training.kubeflow.org/replica-index':'1'}}}");
    assertThat(ranked(job, worker)).extracting(RankedPod::rank).containsExactly(2);
  }

  @Test
  void ofAnElasticJobTheStatusTellsHowManyThereAre() {
    Job job =
        new Job(
            JobKind.TRAINING_JOB,
            Samples.tree(
                "{'metadata':{'name':'mnist','uid':'u1'},'spec':{'elastic':{'enabled':true},"
                    + "'replicaSpecs':[{'type':'a','replicas':1},{'type':'b','replicas':1}]},"
                    + "'status':{'tasks':[{'type':'a','replicas':[{},{},{}]}]}}"));
    assertThat(ranked(job, pod("x", "b", 0, 0, ""))).extracting(RankedPod::rank).containsExactly(3);
  }
}
