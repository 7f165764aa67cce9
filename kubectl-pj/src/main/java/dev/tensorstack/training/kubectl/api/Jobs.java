package dev.tensorstack.training.kubectl.api;

import dev.tensorstack.training.kubectl.job.Job;
import dev.tensorstack.training.kubectl.job.JobEvent;
import dev.tensorstack.training.kubectl.job.JobKind;
import dev.tensorstack.training.kubectl.job.JobReference;
import dev.tensorstack.training.kubectl.job.RankedPod;
import dev.tensorstack.training.kubectl.job.Ranks;
import dev.tensorstack.training.kubectl.job.Tree;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The jobs of a cluster, of both kinds. */
public final class Jobs {

  private static final int NAMED = 5;

  private final Cluster cluster;

  /**
   * Looks into a cluster.
   *
   * @param cluster the cluster
   */
  public Jobs(Cluster cluster) {
    this.cluster = cluster;
  }

  /**
   * Finds a job in the cluster's namespace.
   *
   * @param reference how the user names it; without a kind, both are looked up
   * @return the job
   * @throws IllegalArgumentException with a sentence for the user, when there is none, or one of
   *     each kind
   * @throws ApiException when jobs may not be read
   */
  public Job find(JobReference reference) {
    List<Job> found = new ArrayList<>();
    ApiException refusal = null;
    int unknownKinds = 0;
    List<JobKind> kinds =
        reference.kind() == null ? List.of(JobKind.values()) : List.of(reference.kind());
    for (JobKind kind : kinds) {
      try {
        found.add(new Job(kind, cluster.get(kind.path(cluster.namespace(), reference.name()))));
      } catch (ApiException e) {
        unknownKinds += e.isUnknownKind() ? 1 : 0;
        if (!e.isNotFound()) {
          refusal = e;
        }
      }
    }
    if (found.size() == 1) {
      return found.get(0);
    }
    if (found.size() > 1) {
      throw new IllegalArgumentException(
          "there are two jobs "
              + reference.name()
              + " in namespace "
              + cluster.namespace()
              + ", one of each kind: write "
              + found.stream()
                  .map(job -> job.kind().word() + "/" + job.name())
                  .collect(Collectors.joining(" or ")));
    }
    if (refusal != null) {
      throw refusal;
    }
    throw new IllegalArgumentException(
        unknownKinds == kinds.size() ? unknown(kinds) : missing(reference));
  }

  private String unknown(List<JobKind> kinds) {
    return "the cluster at "
        + cluster.url()
        + " has no "
        + kinds.stream()
            .map(kind -> kind.plural() + " (" + kind.apiVersion() + ")")
            .collect(Collectors.joining(" and no "))
        + ": the operator's CRDs are not installed, or --context names another cluster";
  }

  private String missing(JobReference reference) {
    List<String> others = new ArrayList<>();
    try {
      list(cluster.namespace()).forEach(job -> others.add(job.kind().word() + "/" + job.name()));
    } catch (ApiException mayNotList) {
      others.clear();
    }
    String there =
        others.isEmpty()
            ? "look into another one with -n"
            : "there are "
                + String.join(", ", others.subList(0, Math.min(NAMED, others.size())))
                + (others.size() > NAMED ? " and " + (others.size() - NAMED) + " more" : "");
    return "there is no job " + reference + " in namespace " + cluster.namespace() + "; " + there;
  }

  /**
   * All jobs of both kinds; a kind that the cluster does not have has none.
   *
   * @param namespace the namespace; null for all
   * @return the jobs by namespace and name
   * @throws ApiException when no kind may be listed
   */
  public List<Job> list(@Nullable String namespace) {
    List<Job> jobs = new ArrayList<>();
    ApiException refusal = null;
    int listed = 0;
    for (JobKind kind : JobKind.values()) {
      try {
        for (Tree job : cluster.list(kind.path(namespace), Map.of()).items()) {
          jobs.add(new Job(kind, job));
        }
        listed++;
      } catch (ApiException e) {
        refusal = e.isUnknownKind() ? refusal : e;
      }
    }
    if (refusal != null && listed == 0) {
      throw refusal;
    }
    jobs.sort(
        Comparator.comparing(Job::namespace).thenComparing(Job::name).thenComparing(Job::kind));
    return jobs;
  }

  /**
   * The pods of a job.
   *
   * @param job the job
   * @return the pods by rank
   * @throws ApiException when they may not be listed
   */
  public List<RankedPod> pods(Job job) {
    return Ranks.of(
        job, cluster.list(podPath(job.namespace()), podParameters(job.kind(), job.name())).items());
  }

  /**
   * The path of pods.
   *
   * @param namespace the namespace
   * @return a path that begins with a slash
   */
  static String podPath(String namespace) {
    return "/api/v1/namespaces/" + namespace + "/pods";
  }

  /**
   * Selects the pods of a job.
   *
   * @param kind the job's kind
   * @param name the job's name
   * @return parameters of a list or watch
   */
  static Map<String, String> podParameters(JobKind kind, String name) {
    return Map.of("labelSelector", kind.podSelector(name));
  }

  /**
   * What was told of an object.
   *
   * @param namespace its namespace
   * @param uid its uid
   * @return the events that are still kept, the oldest first
   * @throws ApiException when they may not be listed
   */
  public List<JobEvent> events(String namespace, String uid) {
    return JobEvent.listOf(
        cluster
            .list(
                "/api/v1/namespaces/" + namespace + "/events",
                Map.of("fieldSelector", "involvedObject.uid=" + uid))
            .items());
  }
}
