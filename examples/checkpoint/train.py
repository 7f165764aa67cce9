"""Fits a line, and continues from its checkpoint after a failure. Plain PyTorch on the CPU; nothing is downloaded.

Only rank 0 reads and writes the checkpoint and sends it to all others. Therefore, only the pod of rank 0 needs the volume.

The batch of a step only depends on the seed, the step and the rank. An interrupted training therefore ends with exactly
the same parameters as an uninterrupted one, and prints the same digest:

  python train.py --steps=60
  python train.py --steps=60 --checkpoint-dir=/tmp/checkpoint --fail-at=30   # fails with exit code 1
  python train.py --steps=60 --checkpoint-dir=/tmp/checkpoint --fail-at=30   # continues, and succeeds

Exit code: 0 after success, 1 after a failure, 143 after SIGTERM.
"""

import argparse
import hashlib
import os
import signal
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def parse_arguments():
    parser = argparse.ArgumentParser(description="Train a line, with checkpoints.")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--checkpoint-dir", type=Path, help="where rank 0 keeps the checkpoint; without it nothing is kept")
    parser.add_argument("--checkpoint-every", type=int, default=10, help="steps from one checkpoint to the next")
    parser.add_argument("--fail-at", type=int, help="rank 0 fails before this step, unless it goes on from a checkpoint")
    parser.add_argument("--step-delay", type=float, default=0.0, help="seconds to wait after each step (for demos)")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def save(file, state):
    """Replaces the checkpoint atomically: a reader always finds either the old one or the new one."""
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(file.name + ".tmp")
    with open(unfinished, "wb") as stream:
        torch.save(state, stream)
        stream.flush()
        os.fsync(stream.fileno())  # write the content to the storage before the name
    os.replace(unfinished, file)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)  # write the name before the training relies on it
    finally:
        os.close(folder)


def restore(file):
    """Returns the same state on every process: that of the checkpoint, or None without a checkpoint."""
    state = None
    if dist.get_rank() == 0 and file is not None and file.exists():
        state = torch.load(file, weights_only=True)
    shared = [state]
    dist.broadcast_object_list(shared, src=0)
    return shared[0]


def batch(seed, step, rank):
    """The samples of one step on one process, and their values on the line."""
    generator = torch.Generator().manual_seed(seed * 1_000_003 + step * 1_009 + rank)
    samples = torch.randn(64, 8, generator=generator)
    return samples, samples @ torch.arange(1.0, 9.0).unsqueeze(1) + 0.5


def any_is_told_to_stop(stopped):
    """All processes must stop at the same step. Otherwise, those that continue wait for the others forever."""
    told = torch.tensor([int(bool(stopped))])
    dist.all_reduce(told, op=dist.ReduceOp.MAX)
    return bool(told.item())


def digest(model):
    """A short name for the values of all parameters."""
    values = b"".join(parameter.detach().numpy().tobytes() for parameter in model.parameters())
    return hashlib.sha256(values).hexdigest()[:16]


def main():
    arguments = parse_arguments()
    torch.set_num_threads(1)
    # The operator or torchrun sets these four variables. Without them, the group has one process.
    for name, value in {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0"}.items():
        os.environ.setdefault(name, value)
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    stopped = []
    signal.signal(signal.SIGTERM, lambda signum, frame: stopped.append(signum))

    torch.manual_seed(arguments.seed)
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    file = arguments.checkpoint_dir / "checkpoint.pt" if arguments.checkpoint_dir else None
    state = restore(file)
    step = 0
    if state is not None:
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        step = state["step"]
    if rank == 0:
        print(f"resumed after step {step}" if state else "started from the beginning", flush=True)

    parallel = DistributedDataParallel(model)  # averages the gradients of all processes
    stop = False
    while step < arguments.steps and not stop:
        if state is None and rank == 0 and step + 1 == arguments.fail_at:
            raise RuntimeError(f"failed before step {arguments.fail_at}, as --fail-at says")
        samples, expected = batch(arguments.seed, step, rank)
        loss = nn.functional.mse_loss(parallel(samples), expected)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        time.sleep(arguments.step_delay)
        stop = any_is_told_to_stop(stopped)
        if file is not None and rank == 0 and (stop or step % arguments.checkpoint_every == 0 or step == arguments.steps):
            save(file, {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step})
            print(f"step {step}/{arguments.steps} loss {loss.item():.6f}, saved", flush=True)

    if rank == 0:
        print(f"stopped after step {step}" if stop else f"done, parameters {digest(model)}", flush=True)
    dist.barrier()  # wait until rank 0 has saved
    dist.destroy_process_group()
    sys.exit(128 + signal.SIGTERM if stop else 0)


if __name__ == "__main__":
    main()
