package dev.tensorstack.training.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tensorstack.training.apiproxy.ApiProxy;
import dev.tensorstack.training.apiproxy.ApiRequest;
import dev.tensorstack.training.core.dependents.AutoscalerFactory;
import dev.tensorstack.training.core.dependents.ServiceFactory;
import dev.tensorstack.training.core.dependents.TensorboardFactory;
import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.pod.PodFactory;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.core.policy.ReplicaLayout;
import dev.tensorstack.training.kind.trainingjob.TrainingJobLabels;
import dev.tensorstack.training.kind.trainingjob.v1beta1.PyTorchTrainingJob;
import dev.tensorstack.training.world.PodGroupOf;
import dev.tensorstack.training.world.StoredJob;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.ArrayList;
import java.util.List;

/**
 * What the operator under test has sent to the API server for a job, beside what this JVM makes of
 * the same job: the jar's and the binary's writes are equal because both are equal to these. Pods
 * byte by byte; Services and what is applied, which have maps without an order, as trees.
 */
final class WrittenJson {

  private final KubernetesSerialization serialization = new KubernetesSerialization();
  private final ApiProxy proxy;

  /**
   * Looks at the writes that go through a proxy.
   *
   * @param proxy between the operator and its API server, keeping bodies
   */
  WrittenJson(ApiProxy proxy) {
    this.proxy = proxy;
  }

  /**
   * Compares all that was written for a job in its first attempt, with all replicas present.
   *
   * @param stored the job as the API server has it
   * @return how many writes were compared
   */
  int assertAsHere(PyTorchTrainingJob stored) {
    TrainingJob job = StoredJob.read(stored);
    int compared = 0;
    for (ApiRequest write : proxy.writes()) {
      if (write.namespace().equals(job.namespace()) && write.body().contains(job.uid())) {
        compared += compare(write, job) ? 1 : 0;
      }
    }
    return compared;
  }

  private boolean compare(ApiRequest write, TrainingJob job) {
    if (write.is("create", "pods")) {
      assertThat(write.body()).as(write.toString()).isEqualTo(pod(write.body(), job));
    } else if (write.is("create", "services")) {
      assertThat(tree(write.body()))
          .as(write.toString())
          .isEqualTo(tree(serialization.asJson(ServiceFactory.service(job))));
    } else if (write.is("update", "pytorchtrainingjobs/status")) {
      assertReadAndWrittenTheSame(write, PyTorchTrainingJob.class);
    } else if (write.is("create", "events")) {
      assertReadAndWrittenTheSame(write, Event.class);
    } else if (write.query().contains("fieldManager")) {
      assertThat(tree(write.body())).as(write.toString()).isIn(applied(write.body(), job));
    } else {
      return false;
    }
    return true;
  }

  private String pod(String body, TrainingJob job) {
    JsonNode labels = tree(body).at("/metadata/labels");
    ReplicaId replica =
        new ReplicaId(
            labels.path(TrainingJobLabels.REPLICA_TYPE).asText(),
            labels.path(TrainingJobLabels.REPLICA_INDEX).asInt());
    RunModeKind mode =
        labels.path(TrainingJobLabels.RUN_MODE).asText().equals("debug")
            ? RunModeKind.DEBUG
            : RunModeKind.TRAIN;
    return serialization.asJson(
        new PodFactory(job, ReplicaLayout.of(job.spec()), AcceleratorResources.DEFAULT)
            .pod(replica, 0, 0, mode));
  }

  /** The order of fields and what becomes of nulls are the same on both sides. */
  private void assertReadAndWrittenTheSame(ApiRequest write, Class<?> type) {
    assertThat(write.body())
        .as(write.toString())
        .isEqualTo(serialization.asJson(serialization.unmarshal(write.body(), type)));
  }

  private List<JsonNode> applied(String body, TrainingJob job) {
    List<GenericKubernetesResource> wanted = new ArrayList<>(TensorboardFactory.objects(job));
    job.spec().scheduler().kinds().forEach(kind -> wanted.add(PodGroupOf.job(job, kind, 0)));
    GenericKubernetesResource autoscaler = AutoscalerFactory.autoscaler(job);
    if (autoscaler != null) {
      wanted.add(autoscaler);
    }
    // A change of an object carries its uid.
    JsonNode uid = tree(body).at("/metadata/uid");
    return wanted.stream()
        .map(
            object -> {
              object.getMetadata().setUid(uid.isTextual() ? uid.asText() : null);
              return tree(serialization.asJson(object));
            })
        .toList();
  }

  private JsonNode tree(String json) {
    return serialization.unmarshal(json, JsonNode.class);
  }
}
