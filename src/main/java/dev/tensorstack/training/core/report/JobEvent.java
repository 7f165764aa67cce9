package dev.tensorstack.training.core.report;

/**
 * Something to tell the user about a job.
 *
 * @param reason one word, as {@code kubectl describe} shows it
 * @param warning whether it is a Warning or Normal
 * @param attempt the attempt that it belongs to: one event for each reason and attempt
 * @param message a sentence for people
 */
public record JobEvent(String reason, boolean warning, int attempt, String message) {}
