package dev.tensorstack.training.benchmark;

/**
 * What one form of the operator takes.
 *
 * @param form jar or binary
 * @param diskMiB its files; the jar's without those of a JVM
 * @param servingSeconds from the start of the process until a webhook answers, the median
 * @param readySeconds from the start of the process until it is ready: the webhooks registered, the
 *     median
 * @param idleMiB resident memory when there are no jobs
 * @param loadedMiB resident memory when all jobs run and nothing changes any more
 * @param peakMiB the most resident memory until then
 * @param loadSeconds from the first job's creation until all jobs were seen running
 * @param cpuSeconds the operator's processor time in these
 */
record Size(
    String form,
    double diskMiB,
    double servingSeconds,
    double readySeconds,
    long idleMiB,
    long loadedMiB,
    long peakMiB,
    double loadSeconds,
    double cpuSeconds) {}
