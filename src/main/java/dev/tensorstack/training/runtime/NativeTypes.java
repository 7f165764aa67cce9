package dev.tensorstack.training.runtime;

import dev.tensorstack.training.core.ledger.StoredLedger;
import dev.tensorstack.training.core.ledger.StoredTraining;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Columns;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ContainerState;
import dev.tensorstack.training.kind.trainingjob.v1beta1.CoschedulingScheduler;
import dev.tensorstack.training.kind.trainingjob.v1beta1.DebugMode;
import dev.tensorstack.training.kind.trainingjob.v1beta1.DebugReplicaSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Elastic;
import dev.tensorstack.training.kind.trainingjob.v1beta1.HistoryEntry;
import dev.tensorstack.training.kind.trainingjob.v1beta1.HttpLogs;
import dev.tensorstack.training.kind.trainingjob.v1beta1.JobCondition;
import dev.tensorstack.training.kind.trainingjob.v1beta1.KubernetesScheduler;
import dev.tensorstack.training.kind.trainingjob.v1beta1.LastFailure;
import dev.tensorstack.training.kind.trainingjob.v1beta1.LogDir;
import dev.tensorstack.training.kind.trainingjob.v1beta1.OmittedReplicas;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PauseMode;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Progress;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PvcLogs;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RecentDisruption;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaAggregate;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ReplicaStatus;
import dev.tensorstack.training.kind.trainingjob.v1beta1.ResumeSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RunMode;
import dev.tensorstack.training.kind.trainingjob.v1beta1.RunPolicy;
import dev.tensorstack.training.kind.trainingjob.v1beta1.S3Logs;
import dev.tensorstack.training.kind.trainingjob.v1beta1.Scheduler;
import dev.tensorstack.training.kind.trainingjob.v1beta1.SecretRef;
import dev.tensorstack.training.kind.trainingjob.v1beta1.T9kScheduler;
import dev.tensorstack.training.kind.trainingjob.v1beta1.TaskStatus;
import dev.tensorstack.training.kind.trainingjob.v1beta1.TensorboardSpec;
import dev.tensorstack.training.kind.trainingjob.v1beta1.TensorboardStatus;
import dev.tensorstack.training.kind.trainingjob.v1beta1.TorchrunConfig;
import dev.tensorstack.training.kind.trainingjob.v1beta1.VolcanoScheduler;
import io.quarkus.runtime.annotations.RegisterForReflection;

/**
 * What a native binary has to know of the types that are read from JSON and written to it. The
 * types of Kubernetes itself are registered by the extension of their client. Tests see to it that
 * none is missing: NativeTypesTest in this list, WrittenJsonIT in the binary.
 */
@RegisterForReflection(
    targets = {
      Columns.class,
      ContainerState.class,
      CoschedulingScheduler.class,
      DebugMode.class,
      DebugReplicaSpec.class,
      Elastic.class,
      HistoryEntry.class,
      HttpLogs.class,
      JobCondition.class,
      KubernetesScheduler.class,
      LastFailure.class,
      LogDir.class,
      OmittedReplicas.class,
      PauseMode.class,
      Progress.class,
      PvcLogs.class,
      PyTorchTrainingJob.class,
      PyTorchTrainingJobSpec.class,
      PyTorchTrainingJobStatus.class,
      RecentDisruption.class,
      ReplicaAggregate.class,
      ReplicaSpec.class,
      ReplicaStatus.class,
      ResumeSpec.class,
      RunMode.class,
      RunPolicy.class,
      S3Logs.class,
      Scheduler.class,
      SecretRef.class,
      T9kScheduler.class,
      TaskStatus.class,
      TensorboardSpec.class,
      TensorboardStatus.class,
      StoredLedger.class,
      StoredLedger.Disruption.class,
      StoredLedger.End.class,
      StoredLedger.Ending.class,
      StoredLedger.Failure.class,
      StoredLedger.Outcome.class,
      StoredLedger.Replicas.class,
      StoredLedger.Summary.class,
      StoredTraining.class,
      StoredTraining.Metric.class,
      StoredTraining.Problem.class,
      TorchrunConfig.class,
      VolcanoScheduler.class
    },
    classNames = {
      "dev.tensorstack.training.kind.trainingjob.v1beta1.PartReader$OfSpec",
      "dev.tensorstack.training.kind.trainingjob.v1beta1.PartReader$OfStatus"
    })
final class NativeTypes {

  private NativeTypes() {}
}
