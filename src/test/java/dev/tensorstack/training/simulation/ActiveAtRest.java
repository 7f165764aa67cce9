package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import java.util.Map;

/** A job that goes on has the pods it wants, and no others. */
final class ActiveAtRest {

  private ActiveAtRest() {}

  static void check(Cluster cluster, Look look) {
    JobVersion job = cluster.job();
    PyTorchTrainingJobSpec spec = TrainingJobResource.specOf(job);
    Stated stated = job.stated();
    Invariants.require(
        Layout.isWished(spec, Scaling.counts(stated)),
        "at rest there are as many nodes as are wished",
        stated.replicas().keySet(),
        spec);
    int failed = 0;
    for (Map.Entry<ReplicaId, Stated.Entry> one : stated.replicas().entrySet()) {
      Stated.Entry entry = one.getValue();
      SimulatedPod pod = cluster.pods.get(entry.name());
      boolean present = pod != null && pod.uid.equals(entry.uid());
      boolean done =
          entry.phase().equals("Succeeded")
              && cluster.everCreated(entry.uid()).truth().kind() == Truth.Kind.DONE;
      boolean tolerated =
          job.elastic() && !job.isMaster(one.getKey()) && look.fates.get(one.getKey()).failed();
      failed += tolerated ? 1 : 0;
      Invariants.require(
          done
              || tolerated
              || (present
                  && pod.running()
                  && !pod.deleting()
                  && !cluster.isLost(pod)
                  && entry.phase().equals("Running")),
          "at rest every replica runs or is done",
          one,
          pod);
    }
    for (SimulatedPod pod : cluster.pods.values()) {
      Invariants.require(
          cluster.isGone(pod) || Deletions.isPresent(pod, stated) || cluster.isLost(pod),
          "what the job does not want goes",
          pod);
    }
    Invariants.require(
        failed == 0 || stated.replicas().size() - failed >= spec.elastic().minReplicas(),
        "only an elastic job goes on with failed pods",
        cluster.pods);
    Invariants.require(
        stated.phase().equals("Running"), "a job all of whose pods run is Running", stated);
  }
}
