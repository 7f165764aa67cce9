package dev.tensorstack.training.controller;

import io.micrometer.core.instrument.MeterRegistry;

/** Counts what the controller does (docs/settings.md). */
final class JobMetrics {

  private final MeterRegistry registry;

  JobMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  /** A pod was created. */
  void podCreated(String namespace) {
    registry.counter("pytorchtrainingjob_pods_created", "namespace", namespace).increment();
  }

  /** A pod's deletion was accepted. */
  void podDeleted(String namespace) {
    registry.counter("pytorchtrainingjob_pods_deleted", "namespace", namespace).increment();
  }

  /** An object could not be read. */
  void unreadable(String namespace) {
    registry.counter("pytorchtrainingjob_unreadable", "namespace", namespace).increment();
  }
}
