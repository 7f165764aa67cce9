package dev.tensorstack.training.core.naming;

/** Ports of a job's Services. */
public final class Ports {

  /** The process group store of the master ({@code MASTER_PORT}). */
  public static final int MASTER = 23456;

  /** The rendezvous of torchrun. */
  public static final int RENDEZVOUS = 29400;

  /** TensorBoard's web server, the port that TensorBoard itself takes by default. */
  public static final int TENSORBOARD = 6006;

  private Ports() {}
}
