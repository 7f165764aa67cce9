"""Hangs on purpose: one of two processes stops, and the other waits for it forever, as in the collectives of a training.

Such a failure is hard to notice: no process ends, the CPU is busy or idle, and there are no more steps. In the first
attempt, rank 1 sleeps before a step, and rank 0 waits for it in a barrier. With `runPolicy.progress.stallSeconds`, the operator
detects that no newer step is reported. With `onFailure: Restart`, it ends the processes and restarts all of them, from the
checkpoint and without a hang.

  torchrun --nproc_per_node=2 hang.py --checkpoint-dir /tmp/hang

At SIGTERM, the process writes the stacks of all threads to the log before it ends. They show where it hung.
"""

import argparse
import faulthandler
import json
import os
import signal
import ssl
import sys
import time
import urllib.request
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn

# Do this first. With chain=True, the process then ends as usual. Do not add a Python handler for SIGTERM,
# because Python would only run it after the collective, which never ends.
faulthandler.register(signal.SIGTERM, chain=True)


def report(step, steps, loss):
    """Reports to the operator. Errors must not end the training."""
    url = os.environ.get("KUBEFLOW_TRAINER_SERVER_URL")
    if not url:
        return
    try:
        token = Path(os.environ["KUBEFLOW_TRAINER_SERVER_TOKEN"]).read_text()
        metrics = [{"name": "step", "value": str(step)}, {"name": "loss", "value": f"{loss:.4f}"}]
        status = {"progressPercentage": 100 * step // steps, "metrics": metrics}
        request = urllib.request.Request(
            url,
            json.dumps({"trainerStatus": status}).encode(),
            {"Authorization": f"Bearer {token.strip()}", "Content-Type": "application/json"},
        )
        tls = ssl.create_default_context(cafile=os.environ.get("KUBEFLOW_TRAINER_SERVER_CA_CERT"))
        urllib.request.urlopen(request, timeout=2, context=tls).close()
    except Exception as problem:
        print(f"not reported: {problem}", file=sys.stderr, flush=True)


def hang():
    while True:
        time.sleep(3600)


def main():
    parser = argparse.ArgumentParser(description="Train, and hang on the first attempt.")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--step-seconds", type=float, default=1.0)
    parser.add_argument("--hang-at", type=int, default=17, help="the step that rank 1 does not do on the first attempt")
    parser.add_argument("--checkpoint-dir", type=Path, required=True, help="shared by all processes")
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # many processes may share a machine

    # Much longer than stallSeconds, because gloo itself ends the wait after this time.
    dist.init_process_group("gloo", timeout=timedelta(hours=1))
    rank = dist.get_rank()
    torch.manual_seed(0)
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

    file = arguments.checkpoint_dir / "checkpoint.pt"
    arguments.checkpoint_dir.mkdir(parents=True, exist_ok=True)
    done = 0
    if file.exists():
        saved = torch.load(file, weights_only=True)
        model.load_state_dict(saved["model"])
        done = saved["step"]
    first_attempt = done == 0
    if rank == 0:
        print(f"continuing after step {done}" if done else "starting", flush=True)

    while done < arguments.steps:
        if first_attempt and rank == 1 and done + 1 == arguments.hang_at:
            print(f"rank 1 hangs before step {arguments.hang_at}", flush=True)
            hang()
        dist.barrier()  # rank 0 waits here if rank 1 hangs
        inputs = torch.randn(16, 8)
        loss = (model(inputs) - inputs.sum(dim=1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        for parameter in model.parameters():
            dist.all_reduce(parameter.grad)
            parameter.grad /= dist.get_world_size()
        optimizer.step()
        time.sleep(arguments.step_seconds)
        done += 1
        if rank == 0:
            print(f"step {done}/{arguments.steps} loss {loss.item():.4f}", flush=True)
            report(done, arguments.steps, loss.item())
            if done % 5 == 0:
                partly = file.with_suffix(".partly")
                torch.save({"model": model.state_dict(), "step": done}, partly)
                partly.replace(file)  # atomically, so the file is always complete

    dist.barrier()
    if rank == 0:
        print(f"trained, loss {loss.item():.4f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
