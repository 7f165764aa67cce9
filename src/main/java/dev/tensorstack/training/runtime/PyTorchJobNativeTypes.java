package dev.tensorstack.training.runtime;

import dev.tensorstack.training.kind.pytorchjob.v1.ElasticPolicy;
import dev.tensorstack.training.kind.pytorchjob.v1.JobCondition;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJob;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.PyTorchJobStatus;
import dev.tensorstack.training.kind.pytorchjob.v1.RdzvConf;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaSpec;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaStatus;
import dev.tensorstack.training.kind.pytorchjob.v1.ReplicaType;
import dev.tensorstack.training.kind.pytorchjob.v1.RunPolicy;
import dev.tensorstack.training.kind.pytorchjob.v1.SchedulingPolicy;
import io.quarkus.runtime.annotations.RegisterForReflection;

/** {@link NativeTypes} of the kind {@code PyTorchJob}. */
@RegisterForReflection(
    targets = {
      ElasticPolicy.class,
      JobCondition.class,
      PyTorchJob.class,
      PyTorchJobSpec.class,
      PyTorchJobStatus.class,
      RdzvConf.class,
      ReplicaSpec.class,
      ReplicaStatus.class,
      ReplicaType.class,
      RunPolicy.class,
      SchedulingPolicy.class
    },
    classNames = {
      "dev.tensorstack.training.kind.pytorchjob.v1.PartReader$OfSpec",
      "dev.tensorstack.training.kind.pytorchjob.v1.PartReader$OfStatus"
    })
final class PyTorchJobNativeTypes {

  private PyTorchJobNativeTypes() {}
}
