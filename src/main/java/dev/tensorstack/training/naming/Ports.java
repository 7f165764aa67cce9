package dev.tensorstack.training.naming;

/** Ports of a job's Service. */
public final class Ports {

  /** The process group store of the master ({@code MASTER_PORT}). */
  public static final int MASTER = 23456;

  /** The rendezvous of torchrun. */
  public static final int RENDEZVOUS = 29400;

  private Ports() {}
}
