package dev.tensorstack.training.progress;

/**
 * A pod whose identity is proved.
 *
 * @param namespace its namespace
 * @param name its name
 * @param uid its uid
 */
record ReportingPod(String namespace, String name, String uid) {}
