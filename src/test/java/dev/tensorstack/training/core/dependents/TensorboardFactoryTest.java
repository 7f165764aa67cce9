package dev.tensorstack.training.core.dependents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tensorstack.training.core.observe.TrainingJob;
import dev.tensorstack.training.world.World;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TensorboardFactoryTest {

  private static final String CLAIM = "logDir: {pvc: [{name: logs}]}";

  private static TrainingJob job(String tensorboard) {
    return new World(
            World.workers(2, "Never")
                + (tensorboard.isEmpty() ? "" : "tensorboardSpec: {" + tensorboard + "}"))
        .job();
  }

  private static Deployment deployment(String tensorboard) {
    return as(TensorboardFactory.objects(job(tensorboard)).get(0), Deployment.class);
  }

  private static <T> T as(GenericKubernetesResource object, Class<T> type) {
    return Serialization.unmarshal(Serialization.asJson(object), type);
  }

  private static List<String> arguments(String tensorboard) {
    return deployment(tensorboard)
        .getSpec()
        .getTemplate()
        .getSpec()
        .getContainers()
        .get(0)
        .getArgs();
  }

  @Test
  void aJobThatAsksForNoneHasNone() {
    assertThat(TensorboardFactory.objects(job(""))).isEmpty();
  }

  @Test
  void theWholeDeployment() {
    assertThat(TensorboardFactory.objects(job(CLAIM)).get(0).getAdditionalProperties().get("spec"))
        .isEqualTo(
            Serialization.unmarshal(
                """
                    replicas: 1
                    selector:
                      matchLabels: {app.kubernetes.io/name: tensorboard, app.kubernetes.io/instance: mnist-12e8d}
                    strategy: {type: Recreate}
                    revisionHistoryLimit: 1
                    template:
                      metadata:
                        labels:
                          app.kubernetes.io/name: tensorboard
                          app.kubernetes.io/instance: mnist-12e8d
                          app.kubernetes.io/managed-by: pytorchtrainingjob-operator
                      spec:
                        containers:
                        - name: tensorboard
                          image: t9kpublic/tensorboard:2.17.0
                          command: [tensorboard]
                          args: [--logdir=/logs/logs, --bind_all, --port=6006]
                          env: [{name: HOME, value: /tmp}]
                          ports: [{name: http, containerPort: 6006, protocol: TCP}]
                          startupProbe: {httpGet: {path: /, port: 6006}, periodSeconds: 5, timeoutSeconds: 10, failureThreshold: 120}
                          readinessProbe: {httpGet: {path: /, port: 6006}, periodSeconds: 10, timeoutSeconds: 10, failureThreshold: 3}
                          livenessProbe: {httpGet: {path: /, port: 6006}, periodSeconds: 30, timeoutSeconds: 10, failureThreshold: 6}
                          volumeMounts:
                          - {name: tmp, mountPath: /tmp}
                          - {name: logs-0, mountPath: /logs/logs, readOnly: true}
                          securityContext:
                            allowPrivilegeEscalation: false
                            readOnlyRootFilesystem: true
                            capabilities: {drop: [ALL]}
                        volumes:
                        - {name: tmp, emptyDir: {}}
                        - {name: logs-0, persistentVolumeClaim: {claimName: logs}}
                        automountServiceAccountToken: false
                        enableServiceLinks: false
                        affinity:
                          podAffinity:
                            preferredDuringSchedulingIgnoredDuringExecution:
                            - weight: 100
                              podAffinityTerm:
                                labelSelector:
                                  matchLabels: {batch.tensorstack.dev/job-uid: 422e8cc7-163f-4d49-9fb8-d059e490a09b}
                                topologyKey: kubernetes.io/hostname
                        securityContext:
                          runAsNonRoot: true
                          runAsUser: 1000
                          seccompProfile: {type: RuntimeDefault}
                    """,
                Map.class));
  }

  /** The pods are nobody's replicas: none of the labels by which the operator finds these. */
  @Test
  void itsPodsCannotBeTakenForTrainingPods() {
    assertThat(deployment(CLAIM).getSpec().getTemplate().getMetadata().getLabels())
        .doesNotContainKeys(
            "batch.tensorstack.dev/job-uid",
            "tensorstack.dev/owner-name",
            "replica-type",
            "replica-index",
            "job-role");
  }

  @Test
  void theServiceFindsThePodsAndBothBelongToTheJob() {
    List<GenericKubernetesResource> objects = TensorboardFactory.objects(job(CLAIM));
    Service service = as(objects.get(1), Service.class);

    assertThat(service.getSpec().getSelector())
        .isEqualTo(deployment(CLAIM).getSpec().getSelector().getMatchLabels());
    assertThat(service.getSpec().getPorts())
        .singleElement()
        .satisfies(port -> assertThat(port.getPort()).isEqualTo(6006));
    assertThat(objects)
        .allSatisfy(
            object -> {
              assertThat(object.getMetadata().getName()).isEqualTo("mnist-12e8d-tensorboard");
              assertThat(object.getMetadata().getOwnerReferences()).hasSize(1);
            });
  }

  @Test
  void suspendedItHasNoPodsAndKeepsItsService() {
    assertThat(deployment(CLAIM + ", suspend: true").getSpec().getReplicas()).isZero();
    assertThat(TensorboardFactory.objects(job(CLAIM + ", suspend: true"))).hasSize(2);
  }

  @Test
  void imageAndResourcesAreTheUsers() {
    var container =
        deployment(CLAIM + ", image: 'mine:1', resources: {limits: {cpu: 1, memory: 1Gi}}")
            .getSpec()
            .getTemplate()
            .getSpec()
            .getContainers()
            .get(0);

    assertThat(container.getImage()).isEqualTo("mine:1");
    assertThat(Serialization.asJson(container.getResources()))
        .isEqualTo("{\"limits\":{\"cpu\":\"1\",\"memory\":\"1Gi\"}}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          logDir: {pvc: [{name: a.b, subPath: [run/1]}]} | --logdir=/logs/a.b/run/1
          logDir: {pvc: [{name: a, subPath: ['x,y:z']}]} | --logdir=/logs/a/x,y:z
          logDir: {pvc: [{name: a, subPath: [x, 'y:z']}]} | --logdir_spec=a/x:/logs/a/x,a/y_z:/logs/a/y:z
          logDir: {pvc: [{name: a}, {name: b, subPath: [x]}]} | --logdir_spec=a:/logs/a,b/x:/logs/b/x
          logDir: {s3: {secretRef: {name: s}, uri: ['s3://b/p']}} | --logdir=s3://b/p
          logDir: {http: {url: ['https://h:8080/r/']}} | --logdir=https://h:8080/r/
          logDir: {pvc: [{name: a}], s3: {secretRef: {name: s}, uri: ['s3://a', 's3://a/']}, http: {url: ['http://h:1/x']}} | --logdir_spec=a:/logs/a,a-2:s3://a,a-3:s3://a/,h_1/x:http://h:1/x
          trainingLogFilesets: ['t9k://pvc/a/x', 't9k://minio/s/b/p'] | --logdir_spec=a/x:/logs/a/x,b/p:s3://b/p
          """)
  void onePlaceIsTheLogDirectoryAndSeveralHaveNames(String tensorboard, String expected) {
    assertThat(arguments(tensorboard).get(0)).isEqualTo(expected);
  }

  @Test
  void aClaimIsMountedOnceHoweverManyOfItsDirectoriesAreShown() {
    var pod =
        deployment(
                "logDir: {pvc: [{name: a, subPath: [x, y]}, {name: b}, {name: a, subPath: [z]}]}")
            .getSpec()
            .getTemplate()
            .getSpec();

    assertThat(pod.getVolumes())
        .extracting(volume -> volume.getName())
        .containsExactly("tmp", "logs-0", "logs-1");
    assertThat(pod.getContainers().get(0).getVolumeMounts())
        .extracting(mount -> mount.getMountPath() + " " + mount.getReadOnly())
        .containsExactly("/tmp null", "/logs/a true", "/logs/b true");
  }

  @Test
  void theSecretOfAnObjectStoreIsOnlyReferredTo() {
    var pod =
        deployment("logDir: {s3: {secretRef: {name: store}, uri: ['s3://b/p']}}")
            .getSpec()
            .getTemplate()
            .getSpec();
    var container = pod.getContainers().get(0);

    assertThat(container.getEnvFrom())
        .singleElement()
        .satisfies(from -> assertThat(from.getSecretRef().getName()).isEqualTo("store"));
    assertThat(pod.getVolumes())
        .filteredOn(volume -> volume.getSecret() != null)
        .singleElement()
        .satisfies(
            volume -> {
              assertThat(volume.getSecret().getSecretName()).isEqualTo("store");
              assertThat(volume.getSecret().getOptional()).isTrue();
            });
    assertThat(container.getCommand()).startsWith("/bin/sh", "-c").endsWith("tensorboard");
  }

  @Test
  void theMastersPullSecretsAreUsedForItToo() {
    World world =
        new World(
            World.workers(2, "Never")
                    .replace(
                        "containers:", "imagePullSecrets: [{name: registry}]\n      containers:")
                + "tensorboardSpec: {"
                + CLAIM
                + "}");

    assertThat(
            as(TensorboardFactory.objects(world.job()).get(0), Deployment.class)
                .getSpec()
                .getTemplate()
                .getSpec()
                .getImagePullSecrets())
        .extracting(secret -> secret.getName())
        .containsExactly("registry");
  }
}
