package dev.tensorstack.training.tryout;

/**
 * A job of real torchrun in which one process raises an exception after its first collective
 * operation, while the others go on until they lose it.
 *
 * @param number which one it is, for its name
 * @param nodes its pods
 * @param processes the processes of each pod
 * @param node the pod with the process that fails: 0 is the master
 * @param process that process, by its local rank
 * @param slow whether it takes seconds to end once it has left its group, as one does that still
 *     uploads something: all other pods end before its own
 */
record FailingJob(int number, int nodes, int processes, int node, int process, boolean slow) {

  /**
   * The script. Each process does a collective operation every few milliseconds, as a training
   * does, so that all others are in one, or in between two, when a process fails.
   */
  private static final String SCRIPT =
      """
      import atexit, os, time
      import torch
      import torch.distributed as dist

      dist.init_process_group("gloo")
      value = torch.ones(1)
      dist.all_reduce(value)
      me = os.environ["REPLICA"] + "/" + os.environ["LOCAL_RANK"]
      print("process", me, "has rank", dist.get_rank(), flush=True)
      if me == os.environ["FAILING_PROCESS"]:
          if os.environ["SLOW"] == "true":
              atexit.register(time.sleep, 5)
              atexit.register(dist.destroy_process_group)
          raise ValueError("the loss of " + me + " is not a number")
      while True:
          dist.all_reduce(value)
          time.sleep(0.02)
      """;

  /**
   * One of a row of jobs: master and workers, and the processes of each, take turns; every third
   * one is slow.
   *
   * @param number which one, from 0
   * @param nodes its pods, at least 2
   */
  static FailingJob of(int number, int nodes) {
    int processes = 1 + number % 2;
    int turn = number / 2;
    boolean slow = number % 3 == 1;
    return new FailingJob(number, nodes, processes, turn % nodes, turn / nodes % processes, slow);
  }

  String name() {
    return (slow ? "slow-" : "fails-") + nodes + "x" + processes + "-" + number;
  }

  /** The replica whose log has the traceback, as {@code status.lastFailure} names it. */
  String replica() {
    return node == 0 ? "master-0" : "worker-" + (node - 1);
  }

  /** What that process ends with. */
  String exception() {
    return "ValueError: the loss of " + replica() + "/" + process + " is not a number";
  }

  /** The job and its script, as YAML. */
  String manifest() {
    return """
        apiVersion: v1
        kind: ConfigMap
        metadata:
          name: %1$s
        data:
          train.py: |
        %2$s
        ---
        apiVersion: batch.tensorstack.dev/v1beta1
        kind: PyTorchTrainingJob
        metadata:
          name: %1$s
        spec:
          torchrunConfig: {enabled: true, procPerNode: %3$d}
          runPolicy: {cleanUpPolicy: Unfinished, activeDeadlineSeconds: 600}
          replicaSpecs:
          - type: master
            template: &pod
              spec:
                terminationGracePeriodSeconds: 5
                containers:
                - name: pytorch
                  image: pytorch/pytorch:2.9.1-cpu
                  args: [/scripts/train.py]
                  env:
                  - {name: TYPE, valueFrom: {fieldRef: {fieldPath: "metadata.labels['replica-type']"}}}
                  - {name: INDEX, valueFrom: {fieldRef: {fieldPath: "metadata.labels['replica-index']"}}}
                  - {name: REPLICA, value: $(TYPE)-$(INDEX)}
                  - {name: FAILING_PROCESS, value: %4$s/%5$d}
                  - {name: SLOW, value: "%7$s"}
                  - {name: OMP_NUM_THREADS, value: "1"}
                  volumeMounts:
                  - {name: scripts, mountPath: /scripts}
                volumes:
                - name: scripts
                  configMap: {name: %1$s}
          - type: worker
            replicas: %6$d
            template: *pod
        """
        .formatted(
            name(),
            SCRIPT.indent(4).stripTrailing(),
            processes,
            replica(),
            process,
            nodes - 1,
            slow);
  }
}
