"""Calls of Kubeflow's Python SDK (kubeflow-training), each with what its users rely on.

    python check.py --namespace NAMESPACE --image IMAGE

The cluster is that of KUBECONFIG. IMAGE has Python, PyTorch, torchrun and bash. Each check prints one line, `PASSED NAME` or
`FAILED NAME: REASON`; later checks use the jobs of earlier ones. The exit code is 0 when all of them have passed.
"""

import argparse
import sys
import time
import traceback

from kubeflow.training import (
    KubeflowOrgV1PyTorchJob,
    KubeflowOrgV1PyTorchJobSpec,
    KubeflowOrgV1ReplicaSpec,
    KubeflowOrgV1RunPolicy,
    TrainingClient,
)
from kubernetes import client as kubernetes

PATIENCE = 180  # seconds until something must have come
POLL = 1  # seconds between two looks

# Pods of a job from an object: each says who it is; then it ends, or stays until it is told to end.
REPORT = "import os; print('rank', os.environ['RANK'], 'of', os.environ['WORLD_SIZE'])"
STAY = REPORT + "; import signal; signal.signal(signal.SIGTERM, lambda *_: os._exit(143)); signal.pause()"


def train(parameters):
    """The training that the SDK packs as source: all processes add up their ranks, each plus the offset."""
    import os

    import torch
    import torch.distributed as dist

    dist.init_process_group(backend="gloo")
    total = torch.tensor([dist.get_rank() + parameters["offset"]])
    dist.all_reduce(total)
    print(f"{os.environ['GREETING']}: world size {dist.get_world_size()}, sum {total.item()}", flush=True)
    dist.destroy_process_group()


CHECKS = []


def check(method):
    """Marks a method of Checks; they run in the order in which they stand there."""
    CHECKS.append(method)
    return method


class Checks:
    """The checks and what they share."""

    def __init__(self, namespace, image):
        self.client = TrainingClient(namespace=namespace)
        self.namespace = namespace
        self.image = image

    @check
    def create_job(self):
        job = self.job("object", STAY, workers=2)

        self.client.create_job(job)

        stored = self.client.get_job("object")
        equal(stored.metadata.name, "object")
        equal(stored.spec.pytorch_replica_specs["Worker"].replicas, 2)
        refused(lambda: self.client.create_job(job), "409")

    @check
    def create_job_says_what_is_wrong_with_a_job(self):
        job = self.job("wrong", STAY, workers=1)
        job.spec.pytorch_replica_specs["Worker"].template.spec.containers[0].name = "other"

        refused(lambda: self.client.create_job(job), "pytorch")

    @check
    def is_job_created(self):
        self.client.wait_for_job_conditions(
            "object", expected_conditions={"Created"}, wait_timeout=PATIENCE, polling_interval=POLL
        )

        equal(self.client.is_job_created("object"), True)
        equal(self.client.is_job_succeeded("object"), False)
        equal(self.client.is_job_failed("object"), False)

    @check
    def is_job_running(self):
        seen = []

        job = self.client.wait_for_job_conditions(
            "object",
            expected_conditions={"Running"},
            wait_timeout=PATIENCE,
            polling_interval=POLL,
            callback=lambda job: seen.append(job.metadata.name),
        )

        equal(self.client.is_job_running(job=job), True)
        equal(self.client.is_job_running("object"), True)
        equal(self.client.is_job_restarting("object"), False)
        equal(set(seen), {"object"})

    @check
    def get_job_conditions(self):
        conditions = self.client.get_job_conditions("object")

        equal([(it.type, it.status) for it in conditions], [("Created", "True"), ("Running", "True")])
        equal([it.reason for it in conditions], ["PyTorchJobCreated", "PyTorchJobRunning"])
        for condition in conditions:
            holds(condition.message, "a message")
            holds(condition.last_update_time and condition.last_transition_time, "times")

    @check
    def get_job(self):
        def all_run():
            replicas = self.client.get_job("object").status.replica_statuses
            return replicas["Master"].active == 1 and replicas["Worker"].active == 2

        until("all pods count as active", all_run)
        status = self.client.get_job("object").status
        holds(status.start_time, "a start time")
        equal(status.completion_time, None)

    @check
    def list_jobs(self):
        equal([it.metadata.name for it in self.client.list_jobs()], ["object"])
        equal(self.client.list_jobs()[0].kind, "PyTorchJob")
        equal(self.client.list_jobs(namespace="kube-system"), [])

    @check
    def get_job_pod_names(self):
        def names(**of):
            return sorted(self.client.get_job_pod_names("object", **of))

        equal(names(), ["object-master-0", "object-worker-0", "object-worker-1"])
        equal(names(is_master=True), ["object-master-0"])
        equal(names(replica_type="master"), ["object-master-0"])
        equal(names(replica_type="worker"), ["object-worker-0", "object-worker-1"])
        equal(names(replica_index=0), ["object-master-0", "object-worker-0"])
        equal(names(replica_type="worker", replica_index=1), ["object-worker-1"])

    @check
    def get_job_logs(self):
        def logs(**of):
            return self.client.get_job_logs("object", **of)[0]

        master = {"object-master-0": "rank 0 of 3\n"}
        worker = {"object-worker-1": "rank 2 of 3\n"}
        until("the master has said who it is", lambda: logs() == master)
        until(
            "the worker has said who it is",
            lambda: logs(is_master=False, replica_type="worker", replica_index=1) == worker,
        )
        until("all have", lambda: len([it for it in logs(is_master=False).values() if it]) == 3)

    @check
    def get_job_logs_with_events(self):
        until("the job's events name its pods", lambda: "object-master-0" in self.events("pytorchjob/object"))
        until("the pod has events", lambda: "Successfully assigned" in self.events("pod/object-master-0"))

    @check
    def update_job_suspends(self):
        self.before = {it.metadata.name: it.metadata.uid for it in self.client.get_job_pods("object")}

        # As users do: the job that is stored, with one field changed. It is sent with its resourceVersion, and so once more
        # when the status was written in between.
        def suspend():
            job = self.client.get_job("object")
            job.spec.run_policy.suspend = True
            try:
                self.client.update_job(job, "object")
            except RuntimeError as problem:
                holds("409" in str(problem), f"no other problem than a conflict: {problem}")
                return False
            return True

        until("the update", suspend)
        until("the pods are gone", lambda: self.client.get_job_pod_names("object") == [])
        until("the job is suspended", lambda: self.has("object", "Suspended"))
        equal(self.client.is_job_running("object"), False)
        equal(self.client.is_job_failed("object"), False)

    @check
    def update_job_resumes(self):
        # Only the field: what is not named stays.
        self.client.update_job(
            KubeflowOrgV1PyTorchJob(
                spec=KubeflowOrgV1PyTorchJobSpec(
                    pytorch_replica_specs={}, run_policy=KubeflowOrgV1RunPolicy(suspend=False)
                )
            ),
            "object",
        )

        self.client.wait_for_job_conditions(
            "object", expected_conditions={"Running"}, wait_timeout=PATIENCE, polling_interval=POLL
        )
        equal(self.has("object", "Suspended"), False)
        until("all pods", lambda: len(self.client.get_job_pod_names("object")) == 3)
        after = {it.metadata.name: it.metadata.uid for it in self.client.get_job_pods("object")}
        equal(after.keys(), self.before.keys())
        holds(not set(after.values()) & set(self.before.values()), "other pods")
        told = self.events("pytorchjob/object")
        holds("is restarting" not in told, f"a resumed job never was restarting: {told}")

    @check
    def delete_job(self):
        self.client.delete_job("object")

        refused(lambda: self.client.get_job("object"), "404")
        until("the pods are gone", lambda: self.client.get_job_pod_names("object") == [])
        until("the Services are gone", lambda: self.services("object") == [])
        refused(lambda: self.client.delete_job("object"), "404")

    @check
    def create_job_with_a_function_packed_as_source(self):
        self.client.create_job(
            name="function",
            base_image=self.image,
            train_func=train,
            parameters={"offset": 20},
            num_workers=2,
            num_procs_per_worker=1,
            resources_per_worker={"memory": "1Gi"},
            env_vars={"GREETING": "hello", "OMP_NUM_THREADS": "1"},
            labels={"team": "sdk"},
        )

        job = self.client.get_job("function")
        equal(job.metadata.labels, {"team": "sdk"})
        equal(sorted(job.spec.pytorch_replica_specs), ["Master", "Worker"])

    @check
    def get_job_logs_that_follow(self):
        self.client.wait_for_job_conditions(
            "function", expected_conditions={"Running", "Succeeded"}, wait_timeout=PATIENCE, polling_interval=POLL
        )

        logs = self.client.get_job_logs("function", follow=True)[0]

        equal(list(logs), ["function-master-0"])
        holds("hello: world size 2, sum 41" in logs["function-master-0"], f"the sum in {logs}")

    @check
    def wait_for_job_conditions(self):
        job = self.client.wait_for_job_conditions("function", wait_timeout=PATIENCE, polling_interval=POLL)

        holds(job.status.completion_time, "a completion time")
        equal(
            [(it.type, it.status) for it in job.status.conditions],
            [("Created", "True"), ("Running", "False"), ("Succeeded", "True")],
        )
        equal(job.status.replica_statuses["Master"].succeeded, 1)

    @check
    def is_job_succeeded(self):
        equal(self.client.is_job_succeeded("function"), True)
        equal(self.client.is_job_running("function"), False)
        equal(self.client.is_job_failed("function"), False)
        self.client.delete_job("function")

    @check
    def is_job_restarting(self):
        self.client.create_job(self.job("restarts", "exit(130)", policy="ExitCode", backoff_limit=2))

        self.client.wait_for_job_conditions(
            "restarts", expected_conditions={"Restarting"}, wait_timeout=PATIENCE, polling_interval=POLL
        )
        job = self.client.wait_for_job_conditions(
            "restarts", expected_conditions={"Failed"}, wait_timeout=PATIENCE, polling_interval=POLL
        )
        equal(self.client.is_job_restarting(job=job), False)
        self.client.delete_job("restarts")

    @check
    def is_job_failed(self):
        self.client.create_job(self.job("fails", "print('no data'); exit(3)", policy="Never"))

        job = self.client.wait_for_job_conditions(
            "fails", expected_conditions={"Succeeded", "Failed"}, wait_timeout=PATIENCE, polling_interval=POLL
        )

        equal(self.client.is_job_failed(job=job), True)
        equal(self.client.is_job_succeeded(job=job), False)
        equal(self.client.get_job_logs("fails")[0], {"fails-master-0": "no data\n"})

    @check
    def wait_for_job_conditions_ends_when_the_job_fails(self):
        refused(
            lambda: self.client.wait_for_job_conditions("fails", wait_timeout=PATIENCE, polling_interval=POLL),
            "is Failed",
        )
        self.client.delete_job("fails")

    def has(self, name, condition):
        """Whether a condition holds that the SDK has no method for."""
        return any(it.type == condition and it.status == "True" for it in self.client.get_job_conditions(name))

    def events(self, of):
        """The messages of the events of the job `object`, or of one of its pods."""
        return "\n".join(self.client.get_job_logs("object", verbose=True)[1].get(of, []))

    def services(self, name):
        listed = kubernetes.CoreV1Api().list_namespaced_service(
            self.namespace, label_selector=f"training.kubeflow.org/job-name={name}"
        )
        return [it.metadata.name for it in listed.items]

    def job(self, name, program, workers=0, policy="OnFailure", backoff_limit=None):
        """A job from objects, whose pods run a Python program."""

        def replicas(count):
            return KubeflowOrgV1ReplicaSpec(
                replicas=count,
                restart_policy=policy,
                template=kubernetes.V1PodTemplateSpec(
                    spec=kubernetes.V1PodSpec(
                        containers=[
                            kubernetes.V1Container(
                                name="pytorch",
                                image=self.image,
                                command=["python3", "-u", "-c", program],
                                resources=kubernetes.V1ResourceRequirements(
                                    requests={"cpu": "50m", "memory": "64Mi"}
                                ),
                            )
                        ]
                    )
                ),
            )

        specs = {"Master": replicas(1)}
        if workers:
            specs["Worker"] = replicas(workers)
        return KubeflowOrgV1PyTorchJob(
            api_version="kubeflow.org/v1",
            kind="PyTorchJob",
            metadata=kubernetes.V1ObjectMeta(name=name, namespace=self.namespace),
            spec=KubeflowOrgV1PyTorchJobSpec(
                run_policy=KubeflowOrgV1RunPolicy(clean_pod_policy="None", backoff_limit=backoff_limit),
                pytorch_replica_specs=specs,
            ),
        )


def equal(found, expected):
    if found != expected:
        raise AssertionError(f"{found!r}, expected {expected!r}")


def holds(found, what):
    if not found:
        raise AssertionError(f"not so: {what}")


def refused(call, reason):
    """The SDK tells each refusal as a RuntimeError."""
    try:
        call()
    except RuntimeError as problem:
        if reason not in str(problem):
            raise AssertionError(f"another problem than {reason}: {problem}") from problem
        return
    raise AssertionError(f"no problem, expected {reason}")


def until(what, condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not within {PATIENCE} s: {what}")
        time.sleep(POLL)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--namespace", required=True)
    options.add_argument("--image", required=True)
    given = options.parse_args()
    checks = Checks(given.namespace, given.image)
    failed = 0
    for method in CHECKS:
        name = method.__name__
        begin = time.monotonic()
        try:
            method(checks)
            print(f"PASSED {name}", flush=True)
        except Exception as problem:
            failed += 1
            traceback.print_exc()
            print(f"FAILED {name}: {' '.join(str(problem).split())}", flush=True)
        print(f"{time.monotonic() - begin:.1f} s: {name}", file=sys.stderr, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
