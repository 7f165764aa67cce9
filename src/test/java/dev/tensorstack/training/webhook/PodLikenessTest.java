package dev.tensorstack.training.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.model.ReplicaId;
import dev.tensorstack.training.core.model.RunModeKind;
import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.core.pod.PodFactory;
import dev.tensorstack.training.core.policy.AcceleratorResources;
import dev.tensorstack.training.core.policy.ReplicaLayout;
import dev.tensorstack.training.kind.ClusterDefaults;
import dev.tensorstack.training.kind.JobAdmission;
import dev.tensorstack.training.kind.pytorchjob.PyTorchJobAdmission;
import dev.tensorstack.training.kind.pytorchjob.PyTorchJobSettings;
import dev.tensorstack.training.kind.trainingjob.TrainingJobAdmission;
import dev.tensorstack.training.kind.trainingjob.TrainingJobDefaults;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PodLikenessTest {

  private static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization();

  private static final TrainingJobAdmission TRAINING_JOB =
      new TrainingJobAdmission(AcceleratorResources.DEFAULT, TrainingJobDefaults.NONE);

  private static final PyTorchJobAdmission PYTORCH_JOB =
      new PyTorchJobAdmission(PyTorchJobSettings.PLAIN, ClusterDefaults.NONE);

  private static final String TEMPLATE =
      """
      metadata: {labels: {team: a}, annotations: {note: n}}
      spec:
        containers:
        - name: pytorch
          image: i
          command: [python]
          args: [train.py, --rate=1]
          env: [{name: RATE, value: '1'}, {name: EMPTY, value: ''}]
      """;

  private static String ofTrainingJob(String namespace, String name, String type, String template) {
    String spec =
        "{torchrunConfig: {enabled: true}, replicaSpecs: [{type: master, template: %1$s}, {type:"
            + " worker, replicas: 3, template: %1$s}]}";
    return of(TRAINING_JOB, namespace, name, type, spec.formatted(Reviews.yaml(template)));
  }

  private static String ofPyTorchJob(String name, String template) {
    String spec = "{pytorchReplicaSpecs: {Master: {template: %1$s}}}";
    return of(PYTORCH_JOB, "ns", name, "master", spec.formatted(Reviews.yaml(template)));
  }

  private static <R extends CustomResource<?, ?>, S> String of(
      JobAdmission<R, S> kind, String namespace, String name, String type, String spec) {
    S given = JobReader.of(kind, SERIALIZATION).read(Reviews.job(name, spec)).spec();
    TrainingJob job =
        kind.job(namespace, name, "uid-of-" + name, Map.of(), kind.complete(given, null));
    ReplicaId replica = new ReplicaId(type, 0);
    return PodLikeness.of(
        new PodFactory(job, ReplicaLayout.of(job.spec()), AcceleratorResources.DEFAULT, null, null)
            .pod(replica, 0, 0, RunModeKind.TRAIN),
        job,
        replica,
        SERIALIZATION);
  }

  @Test
  void podsOfJobsFromOneTemplateAreAlike() {
    String one = ofTrainingJob("ns", "one", "master", TEMPLATE);

    assertThat(ofTrainingJob("ns", "two", "master", TEMPLATE)).isEqualTo(one);
    assertThat(ofTrainingJob("ns", "one", "worker", TEMPLATE)).as("a type").isEqualTo(one);
    assertThat(ofPyTorchJob("two", TEMPLATE)).isEqualTo(ofPyTorchJob("one", TEMPLATE));
  }

  /** A search for parameters is many jobs that differ in these. */
  @Test
  void argumentsAndTextsOfVariablesMakeNoDifference() {
    String other = TEMPLATE.replace("--rate=1", "--rate=2").replace("value: '1'", "value: '2'");

    assertThat(ofTrainingJob("ns", "one", "master", other))
        .isEqualTo(ofTrainingJob("ns", "one", "master", TEMPLATE));
  }

  @Test
  void podsOfOtherNamespacesAreNotAlike() {
    assertThat(ofTrainingJob("other", "one", "master", TEMPLATE))
        .isNotEqualTo(ofTrainingJob("ns", "one", "master", TEMPLATE));
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "->",
      value = {
        "team: a -> team: b",
        "note: n -> note: m",
        "image: i -> image: j",
        "name: pytorch -> name: PyTorch",
        "name: RATE -> name: RATE!",
        "value: '' -> value: '1'",
        "value: '1' -> valueFrom: {fieldRef: {fieldPath: metadata.name}}",
        "image: i -> ports: [{containerPort: 99999}]",
        "image: i -> resources: {limits: {cpu: much}}",
        "image: i -> volumeMounts: [{name: v, mountPath: /v}]",
      },
      quoteCharacter = '`')
  void whatAnApiServerOrAPolicyLooksAtMakesADifference(String from, String to) {
    assertThat(TEMPLATE).contains(from);

    assertThat(ofTrainingJob("ns", "one", "master", TEMPLATE.replace(from, to)))
        .isNotEqualTo(ofTrainingJob("ns", "one", "master", TEMPLATE));
  }

  /** Kubeflow's kind leaves these to the template; an invalid one is refused. */
  @ParameterizedTest
  @ValueSource(strings = {"hostname", "subdomain"})
  void aNameThatTheTemplateGivesMakesADifference(String field) {
    assertThat(ofPyTorchJob("one", TEMPLATE + "  " + field + ": a\n"))
        .isNotEqualTo(ofPyTorchJob("one", TEMPLATE))
        .isNotEqualTo(ofPyTorchJob("one", TEMPLATE + "  " + field + ": B\n"));
  }
}
