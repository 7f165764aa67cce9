package dev.tensorstack.training.progress;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Whether and where trainings report.
 *
 * @param listenOn the address to listen on
 * @param port the port to listen on; 0 for any
 * @param url what pods are told, without a slash at its end; null when nobody can reach this
 *     operator, which then does not listen
 * @param authorities a file with the authorities that pods are to trust; null for those that come
 *     with the operator's certificate
 * @param host the name in the operator's certificate under which pods reach it
 */
public record ProgressSettings(
    String listenOn, int port, @Nullable String url, @Nullable Path authorities, String host) {}
