package dev.tensorstack.training.operator;

import dev.tensorstack.training.apiproxy.ApiRequest;
import dev.tensorstack.training.apiproxy.Verdict;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJobStatus;
import io.fabric8.kubernetes.api.model.Event;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What was stored about a job at the moment when the operator first deleted something of it: a hook
 * of the proxy, which holds the deletion up until it knows.
 */
final class StatusAtDeletion implements Function<ApiRequest, Verdict> {

  private static final Pattern POD = Pattern.compile("(.+)-[0-9a-f]{5}-worker-\\d+(-r\\d+)?");

  private final Jobs jobs;
  private final String namespace;
  private final Map<String, Stored> first = new ConcurrentHashMap<>();

  /**
   * What was stored.
   *
   * @param phase the job's phase
   * @param reason the reason in its columns
   * @param events the reasons of its events
   * @param time when the deletion arrived
   */
  record Stored(String phase, String reason, List<String> events, Instant time) {}

  StatusAtDeletion(Jobs jobs, String namespace) {
    this.jobs = jobs;
    this.namespace = namespace;
  }

  /** What was stored when the first deletion came; null when none has come. */
  @Nullable Stored of(String job) {
    return first.get(job);
  }

  @Override
  public Verdict apply(ApiRequest request) {
    String job = jobOf(request);
    if (job != null && request.namespace().equals(namespace)) {
      first.computeIfAbsent(job, name -> stored(name, request.arrival()));
    }
    return Verdict.pass();
  }

  private static @Nullable String jobOf(ApiRequest request) {
    if (request.is("delete", "pytorchtrainingjobs")) {
      return request.name();
    }
    Matcher pod = POD.matcher(request.name());
    return request.is("delete", "pods") && pod.matches() ? pod.group(1) : null;
  }

  private Stored stored(String job, Instant time) {
    PyTorchTrainingJobStatus status = jobs.get(job).getStatus();
    return new Stored(
        status.phase(),
        status.columns().reason(),
        jobs.events(job).stream().map(Event::getReason).toList(),
        time);
  }
}
