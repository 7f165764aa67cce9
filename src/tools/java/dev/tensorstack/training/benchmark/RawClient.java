package dev.tensorstack.training.benchmark;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tensorstack.training.core.dependents.ServiceFactory;
import dev.tensorstack.training.core.model.ServiceLayout;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.policy.ReplicaLayout;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Creates objects that lie ready as bytes and does not read the answers: what no operator can be
 * faster than.
 */
final class RawClient {

  private final Api api;

  /** A bare client as a user. */
  RawClient(Api api) {
    this.api = api;
  }

  /** The objects of some jobs, as bytes. */
  record Bodies(List<byte[]> services, List<byte[]> pods) {}

  /**
   * What the operator would create for jobs that do not exist.
   *
   * @param owner the job that owns it instead; without an owner that exists it is collected
   */
  static Bodies bodiesOf(
      JobResource resource,
      Map<String, String> manifests,
      String namespace,
      PyTorchTrainingJob owner) {
    Bodies bodies = new Bodies(new ArrayList<>(), new ArrayList<>());
    for (String manifest : manifests.values()) {
      TrainingJob job = resource.read(manifest, namespace);
      for (Service service : services(job)) {
        bodies.services().add(ownedBy(owner, service));
      }
      for (Pod pod : BareClient.podsOf(job)) {
        bodies.pods().add(ownedBy(owner, pod));
      }
    }
    return bodies;
  }

  private static List<Service> services(TrainingJob job) {
    return job.spec().traits().services() == ServiceLayout.ONE_FOR_ALL_PODS
        ? List.of(ServiceFactory.service(job))
        : ReplicaLayout.of(job.spec()).replicas().stream()
            .map(replica -> ServiceFactory.ofReplica(job, replica))
            .toList();
  }

  private static byte[] ownedBy(PyTorchTrainingJob owner, HasMetadata object) {
    for (OwnerReference reference : object.getMetadata().getOwnerReferences()) {
      reference.setApiVersion(owner.getApiVersion());
      reference.setKind(owner.getKind());
      reference.setName(owner.getMetadata().getName());
      reference.setUid(owner.getMetadata().getUid());
    }
    return Serialization.asJson(object).getBytes(UTF_8);
  }

  /**
   * Creates pods, so many at once, and waits for the last answer.
   *
   * @return the moment of the answer to each creation, by the pod's name in the answer
   */
  Map<String, Long> createPods(String namespace, List<byte[]> pods, int parallelism) {
    return create(pathOf(namespace, "pods"), pods, parallelism);
  }

  /** Creates Services, so many at once, and waits for the last answer. */
  void createServices(String namespace, List<byte[]> services, int parallelism) {
    var unused = create(pathOf(namespace, "services"), services, parallelism);
  }

  private static String pathOf(String namespace, String kind) {
    return "/api/v1/namespaces/" + namespace + "/" + kind;
  }

  private Map<String, Long> create(String path, List<byte[]> objects, int parallelism) {
    Map<String, Long> answered = new ConcurrentHashMap<>();
    ExecutorService threads = Executors.newFixedThreadPool(parallelism);
    try {
      List<CompletableFuture<?>> answers = new ArrayList<>();
      for (byte[] object : objects) {
        answers.add(
            CompletableFuture.runAsync(
                () -> {
                  String body =
                      Api.insist("a creation in " + path, () -> api.post(path, object)).body();
                  answered.put(firstValue(body, "name"), System.nanoTime());
                },
                threads));
      }
      answers.forEach(CompletableFuture::join);
    } finally {
      threads.shutdown();
    }
    return answered;
  }

  /** The text of the first field of a name: of a name, uid or version it is the object's own. */
  static String firstValue(String body, String name) {
    String field = "\"" + name + "\":\"";
    int begin = body.indexOf(field) + field.length();
    return body.substring(begin, body.indexOf('"', begin));
  }

  /** Deletes all pods and Services of a namespace without waiting for a kubelet. */
  void deleteAll(String namespace) {
    for (String kind : List.of("pods", "services")) {
      String path = pathOf(namespace, kind);
      Api.Answer unused =
          Api.insist(
              "the deletion of all " + kind, () -> api.delete(path, "{\"gracePeriodSeconds\":0}"));
    }
  }
}
