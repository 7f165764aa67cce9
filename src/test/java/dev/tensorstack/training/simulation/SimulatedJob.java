package dev.tensorstack.training.simulation;

import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.report.JobReport;
import java.time.Instant;

/** A job of one of the kinds as it is stored: what its user wrote, and its status. */
interface SimulatedJob {

  /** What the operator reads. */
  TrainingJob read(long generation);

  /** The same job with what the operator reports in its status. */
  SimulatedJob reported(TrainingJob job, JobReport report, Instant now);

  /** Its status says the same as that of another. */
  boolean saysTheSame(SimulatedJob other);

  /** The status in few words, for a reader. */
  String summary();

  /** What the status says. */
  Stated stated();

  /** The same job after its user has changed something that admission allows. */
  SimulatedJob edited(Luck luck);

  /** The replica of rank 0. */
  boolean isMaster(ReplicaId replica);

  /** Whether the number of its nodes may change while it runs. */
  boolean elastic();

  /** torchrun runs in its pods as the operator has told it: an agent that loses a peer ends. */
  boolean losesPeers();

  /** How the pods of a replica are made. */
  PodTraits traits(ReplicaId replica);

  /** What of the spec may change, for a reader. */
  String wishes();

  /** People delete Services of this kind, and each replica has one. */
  boolean hasServiceOfEachReplica();
}
