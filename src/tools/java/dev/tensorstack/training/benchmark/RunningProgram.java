package dev.tensorstack.training.benchmark;

import java.nio.file.Path;

/** A program that works on jobs while it is measured: this operator, or another one. */
interface RunningProgram extends AutoCloseable {

  /** The name of the client in tables. */
  String client();

  /** Where the jobs are submitted. */
  String namespace();

  /** Its name in the audit log. */
  String user();

  /** What its process uses. */
  ProcessUsage usage();

  /** Where it logs. */
  Path log();

  @Override
  void close();

  /** How one is started. */
  @FunctionalInterface
  interface Start {

    /** Starts one for a namespace of its own, and waits until it is ready. */
    RunningProgram start() throws InterruptedException;
  }
}
