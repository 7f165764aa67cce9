package dev.tensorstack.training.core.report;

import org.jspecify.annotations.Nullable;

/**
 * What is said about a job's TensorBoard.
 *
 * @param deployment the name of its Deployment, which is that of its Service too
 * @param uid the uid of the Deployment; null when there is none
 * @param ready whether it serves
 * @param reason one word on its state
 * @param action what the operator does next: Create, Wait, Retry or None
 * @param note a sentence for people
 * @param warning whether somebody may have to do something about it
 */
public record TensorboardReport(
    String deployment,
    @Nullable String uid,
    boolean ready,
    String reason,
    String action,
    String note,
    boolean warning) {}
