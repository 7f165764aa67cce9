"""Trains a digit classifier on any number of processes, and reports its progress to the operator.

You only need the function `report`, which uses Python's standard library. Without the operator, it does nothing.

  pip install torch scikit-learn
  python train.py
  torchrun --nproc_per_node=2 train.py
"""

import argparse
import json
import os
import ssl
import sys
import time
import urllib.request
from pathlib import Path

import torch
import torch.distributed as dist
from sklearn.datasets import load_digits
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

REPORT_SECONDS = 5
next_report = 0.0


def report(step, steps, loss, started, final=False):
    """Reports to the operator every few seconds. Errors do not end the training or delay it for long."""
    global next_report
    url, now = os.environ.get("KUBEFLOW_TRAINER_SERVER_URL"), time.monotonic()
    if not url or (now < next_report and not final):
        return
    next_report = now + REPORT_SECONDS
    status = {
        "progressPercentage": 100 * step // steps,
        "estimatedRemainingSeconds": int((now - started) / step * (steps - step)),
        "metrics": [{"name": "step", "value": str(step)}, {"name": "loss", "value": f"{loss:.4f}"}],
    }
    try:
        # Read the token and the authority each time, because both are renewed while the pod runs.
        token = Path(os.environ["KUBEFLOW_TRAINER_SERVER_TOKEN"]).read_text().strip()
        tls = ssl.create_default_context(cafile=os.environ["KUBEFLOW_TRAINER_SERVER_CA_CERT"])
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        request = urllib.request.Request(url, json.dumps({"trainerStatus": status}).encode(), headers)
        urllib.request.urlopen(request, timeout=2, context=tls).close()
    except Exception as problem:
        next_report = now + 20  # each attempt can take two seconds
        print(f"not reported: {problem}", file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description="Train a digit classifier, data-parallel.")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--step-delay", type=float, default=0.0, help="seconds to wait after each step (for demos)")
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # many processes may share a machine

    # torchrun or the operator sets these four variables. Without them, the group has one process.
    for name, value in {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0"}.items():
        os.environ.setdefault(name, value)
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    digits = load_digits()
    data = TensorDataset(torch.tensor(digits.data, dtype=torch.float32) / 16, torch.tensor(digits.target))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, batch_size=64 // dist.get_world_size(), sampler=sampler)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

    started, step, steps = time.monotonic(), 0, arguments.epochs * len(loader)
    for epoch in range(arguments.epochs):
        sampler.set_epoch(epoch)  # a different order in each epoch, the same on every process
        for images, labels in loader:
            loss = nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            time.sleep(arguments.step_delay)
            step += 1
            if dist.get_rank() == 0:
                report(step, steps, loss.item(), started, final=step == steps)
        if dist.get_rank() == 0:
            print(f"epoch {epoch + 1}/{arguments.epochs} loss {loss.item():.4f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
