package dev.tensorstack.training.benchmark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Map;
import org.yaml.snakeyaml.Yaml;

/** The jobs whose status is written: small ones, one as users write them, and large ones. */
final class SampledJobs {

  /** The name of the job that is like a user's. */
  static final String REALISTIC = "master + 3 workers, ordinary template";

  private static final ObjectMapper JSON = new ObjectMapper();

  /** What people ask of the pods of a job on a cluster with accelerators. */
  private static final String TEMPLATE =
      """
      metadata:
        labels: {team: vision, cost-center: "4711"}
        annotations: {prometheus.io/scrape: "true", prometheus.io/port: "9400"}
      spec:
        nodeName: %s
        priorityClassName: ""
        serviceAccountName: default
        terminationGracePeriodSeconds: 60
        securityContext: {runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000}
        nodeSelector: {accelerator: h100}
        tolerations:
        - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
        - {key: training, operator: Equal, value: "true", effect: NoSchedule}
        affinity:
          nodeAffinity:
            requiredDuringSchedulingIgnoredDuringExecution:
              nodeSelectorTerms:
              - matchExpressions:
                - {key: topology.kubernetes.io/zone, operator: In, values: [a, b]}
          podAffinity:
            preferredDuringSchedulingIgnoredDuringExecution:
            - weight: 100
              podAffinityTerm:
                topologyKey: kubernetes.io/hostname
                labelSelector: {matchLabels: {team: vision}}
        containers:
        - name: pytorch
          image: registry.example/train:1
          imagePullPolicy: IfNotPresent
          workingDir: /workspace
          args: [train.py, --config=config/gpt2.yaml, --epochs=3, --batch-size=12, --save=/checkpoints]
          env:
          - {name: NCCL_DEBUG, value: INFO}
          - {name: NCCL_IB_DISABLE, value: "0"}
          - {name: NCCL_SOCKET_IFNAME, value: eth0}
          - {name: OMP_NUM_THREADS, value: "8"}
          - {name: WANDB_PROJECT, value: gpt2}
          - name: WANDB_API_KEY
            valueFrom: {secretKeyRef: {name: wandb, key: api-key, optional: true}}
          - name: NODE_NAME
            valueFrom: {fieldRef: {fieldPath: spec.nodeName}}
          envFrom:
          - configMapRef: {name: training-settings, optional: true}
          ports: [{name: metrics, containerPort: 9400}]
          resources:
            requests: {cpu: "32", memory: 256Gi, nvidia.com/gpu: "8"}
            limits: {cpu: "64", memory: 512Gi, nvidia.com/gpu: "8"}
          securityContext:
            allowPrivilegeEscalation: false
            capabilities: {add: [IPC_LOCK]}
          livenessProbe:
            exec: {command: [python, -m, health]}
            initialDelaySeconds: 120
            periodSeconds: 60
            failureThreshold: 5
          readinessProbe:
            tcpSocket: {port: 9400}
            periodSeconds: 10
          volumeMounts:
          - {name: data, mountPath: /data, readOnly: true}
          - {name: checkpoints, mountPath: /checkpoints}
          - {name: config, mountPath: /workspace/config}
          - {name: shm, mountPath: /dev/shm}
        volumes:
        - name: data
          persistentVolumeClaim: {claimName: imagenet, readOnly: true}
        - name: checkpoints
          persistentVolumeClaim: {claimName: checkpoints}
        - name: config
          configMap: {name: training-config, optional: true}
        - name: shm
          emptyDir: {medium: Memory, sizeLimit: 64Gi}
      """;

  private SampledJobs() {}

  /** So many replicas of a worker with one container that says nothing but its command. */
  static Map<String, ObjectNode> small(int... replicas) {
    Map<String, ObjectNode> jobs = new LinkedHashMap<>();
    for (int number : replicas) {
      String name = "of-" + number;
      String manifest = JobResource.PYTORCH_TRAINING_JOB.manifest(name, number, "OnFailure", "");
      jobs.put(number + " × a toy template", json(manifest));
    }
    return jobs;
  }

  /** A master and three workers with torchrun, as on a cluster that is used in earnest. */
  static ObjectNode realistic() {
    ObjectNode job =
        json(
            """
            {"apiVersion":"batch.tensorstack.dev/v1beta1","kind":"PyTorchTrainingJob",
            "metadata":{"name":"realistic","labels":{"team":"vision"}},
            "spec":{"torchrunConfig":{"enabled":true,"procPerNode":"8","maxRestarts":0},
            "runPolicy":{"backoffLimit":5,"activeDeadlineSeconds":864000,"cleanUpPolicy":"Unfinished",
            "ttlSecondsAfterFinished":86400}}}
            """);
    ObjectNode template = JSON.valueToTree(new Yaml().load(TEMPLATE.formatted(SwiftKubelet.NODE)));
    var types = ((ObjectNode) job.path("spec")).putArray("replicaSpecs");
    types.addObject().put("type", "master").put("replicas", 1);
    types.addObject().put("type", "worker").put("replicas", 3).put("restartPolicy", "OnFailure");
    types.forEach(type -> ((ObjectNode) type).set("template", template.deepCopy()));
    return job;
  }

  private static ObjectNode json(String text) {
    try {
      return (ObjectNode) JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
