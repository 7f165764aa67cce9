"""Trains a small convolutional network on handwritten digits, on any number of processes.

The data are the 1797 handwritten digits of the UCI repository (8x8 grey pixels); they come with
scikit-learn, so nothing is downloaded. The training is data-parallel (DistributedDataParallel): every
process has the whole network and works on its share of each batch; the gradients are averaged.

You can run the same script in three ways, without changes:

  torchrun --nproc_per_node=2 train.py     torchrun starts the processes. If nodes join or leave an elastic
                                           job, it restarts them, and they continue from the last checkpoint.
  RANK=0 WORLD_SIZE=3 MASTER_ADDR=host MASTER_PORT=23456 python train.py
                                           one process per pod, started by you or by the operator
  python train.py                          alone

It trains on the CPU. For GPUs, use the backend "nccl", and move model and batches to cuda:$LOCAL_RANK.

Exit code: 0 after success (with at least --target-accuracy), 1 after a failure or with a lower accuracy,
143 after SIGTERM.
"""

import argparse
import os
import signal
import sys
import time
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.distributed.elastic.multiprocessing.errors import record
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

# 128 + 15: the exit code that a shell and Kubernetes report for a process that was ended by SIGTERM.
EXIT_STOPPED = 128 + signal.SIGTERM


def parse_arguments():
    parser = argparse.ArgumentParser(description="Train a digit classifier, data-parallel.")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=64, help="samples per step, all processes together")
    parser.add_argument("--learning-rate", type=float, default=3e-3)
    parser.add_argument("--checkpoint-dir", type=Path, help="shared by all processes; without it nothing is kept")
    parser.add_argument("--log-dir", type=Path, help="where to write the curves for TensorBoard")
    parser.add_argument("--target-accuracy", type=float, default=0.0, help="exit with 1 below this")
    parser.add_argument("--step-delay", type=float, default=0.0, help="seconds to wait after each step (for demos)")
    parser.add_argument("--go-on-while", type=Path, help="train on past --epochs while this file exists (for demos)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--die-in-epoch",
        type=int,
        help="torchrun's role `worker` is killed in this epoch, unless it goes on from a checkpoint (for demos)",
    )
    return parser.parse_args()


class StopRequest:
    """Remembers that SIGTERM was received. Kubernetes sends it when a pod is deleted, paused or evicted, and torchrun
    when the set of nodes changes. The training loop checks it between two steps, when the model is consistent."""

    def __init__(self):
        self.received = False
        signal.signal(signal.SIGTERM, self._on_signal)

    def _on_signal(self, signum, frame):
        self.received = True


class Stopped(Exception):
    """SIGTERM was received; leaves the training loop."""


def load_data():
    """Returns (training set, test set). The split is fixed: it is the same in every process and at every start."""
    digits = load_digits()
    images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16.0
    labels = torch.tensor(digits.target, dtype=torch.int64)
    train, test = train_test_split(range(len(labels)), test_size=0.2, stratify=digits.target, random_state=0)
    return TensorDataset(images[train], labels[train]), TensorDataset(images[test], labels[test])


def build_model():
    return nn.Sequential(
        nn.Conv2d(1, 16, kernel_size=3, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 32, kernel_size=3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(32 * 4 * 4, 64),
        nn.ReLU(),
        nn.Linear(64, 10),
    )


class Checkpoint:
    """The file from which training continues. It must be on storage that all pods share, because after a restart
    another pod may have rank 0. Without a directory, nothing is saved or loaded."""

    def __init__(self, directory):
        self.file = directory / "checkpoint.pt" if directory else None

    def save(self, model, optimizer, epoch):
        """Only rank 0 writes. `epoch` is the number of finished epochs."""
        if self.file is None or dist.get_rank() != 0:
            return
        self.file.parent.mkdir(parents=True, exist_ok=True)
        # Write a temporary file and rename it: if the process is killed here, the previous checkpoint is intact.
        unfinished = self.file.with_name(f"{self.file.name}.{os.getpid()}.tmp")
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, unfinished)
        os.replace(unfinished, self.file)

    def restore(self, model, optimizer):
        """Returns the number of finished epochs. Rank 0 reads the file and sends the state to the others. All processes
        then start from the same state, even if the storage shows different files to different pods."""
        state = None
        if dist.get_rank() == 0 and self.file is not None and self.file.exists():
            state = torch.load(self.file, weights_only=True)
        shared = [state]
        dist.broadcast_object_list(shared, src=0)
        if shared[0] is None:
            return 0
        model.load_state_dict(shared[0]["model"])
        optimizer.load_state_dict(shared[0]["optimizer"])
        return shared[0]["epoch"]


def train_epoch(model, optimizer, loader, stop, step_delay):
    """One pass over this process's share of the data. Returns the mean loss over all processes."""
    model.train()
    total = torch.zeros(2)  # sum of losses, number of steps
    for images, labels in loader:
        loss = nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()  # DistributedDataParallel averages the gradients over all processes here
        optimizer.step()
        total += torch.tensor([loss.item(), 1.0])
        time.sleep(step_delay)
        if stop.received:
            raise Stopped
    dist.all_reduce(total)
    return (total[0] / total[1]).item()


@torch.no_grad()
def evaluate(model, test_data):
    """Accuracy on the test set. Each process tests its share; the counts are added up for all processes."""
    model.eval()
    images, labels = (tensor[dist.get_rank() :: dist.get_world_size()] for tensor in test_data.tensors)
    counts = torch.tensor([(model(images).argmax(dim=1) == labels).sum().item(), len(labels)])
    dist.all_reduce(counts)
    return (counts[0] / counts[1]).item()


def open_log(directory, first_epoch):
    """The TensorBoard writer of rank 0; None for the others, without --log-dir, or without TensorBoard."""
    if directory is None or dist.get_rank() != 0:
        return None
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None

    # After a restart, hide points that the interrupted run has written after the checkpoint.
    return SummaryWriter(str(directory), purge_step=first_epoch)


def goes_on(file):
    """Whether --go-on-while requests more epochs. Rank 0 checks the file and tells the others."""
    answer = torch.tensor([int(file is not None and file.exists())])
    dist.broadcast(answer, src=0)
    return bool(answer.item())


def train(arguments, stop):
    """Trains, or continues to train, up to --epochs. Returns the accuracy on the test set."""
    rank, world_size = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(arguments.seed)
    train_data, test_data = load_data()
    # Each process gets a different part of the data. --batch-size is divided among the processes, so the size of
    # a step does not depend on the number of nodes.
    sampler = DistributedSampler(train_data, num_replicas=world_size, rank=rank, seed=arguments.seed)
    loader = DataLoader(train_data, batch_size=max(1, arguments.batch_size // world_size), sampler=sampler)

    model = build_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=arguments.learning_rate)
    checkpoint = Checkpoint(arguments.checkpoint_dir)
    first_epoch = checkpoint.restore(model, optimizer) + 1
    # `model` is saved and tested; `parallel` has the same parameters, with averaged gradients.
    parallel = DistributedDataParallel(model)
    log = open_log(arguments.log_dir, first_epoch)
    if rank == 0:
        start = f"continuing after epoch {first_epoch - 1}" if first_epoch > 1 else "starting"
        print(f"{start}, world_size {world_size}", flush=True)

    dies_in = arguments.die_in_epoch if first_epoch == 1 and os.environ.get("ROLE_NAME") == "worker" else None
    accuracy = None
    epoch = first_epoch
    try:
        while epoch <= arguments.epochs or goes_on(arguments.go_on_while):
            if epoch == dies_in:
                print(f"epoch {epoch}: killed, as --die-in-epoch says", flush=True)
                os.kill(os.getpid(), signal.SIGKILL)
            sampler.set_epoch(epoch)  # a different order in each epoch, the same on every process
            loss = train_epoch(parallel, optimizer, loader, stop, arguments.step_delay)
            accuracy = evaluate(model, test_data)
            checkpoint.save(model, optimizer, epoch)
            if rank == 0:
                print(
                    f"epoch {epoch}/{arguments.epochs} loss {loss:.4f} accuracy {accuracy:.4f} "
                    f"world_size {world_size}",
                    flush=True,
                )
            if log is not None:
                log.add_scalar("train/loss", loss, epoch)
                log.add_scalar("test/accuracy", accuracy, epoch)
                log.add_scalar("world_size", world_size, epoch)
                log.flush()
            epoch += 1
        if accuracy is None:  # the checkpoint was already that of the last epoch
            accuracy = evaluate(model, test_data)
        return accuracy
    except (Stopped, RuntimeError) as error:
        # When all processes are stopped at the same time, one exits first, and the others get a broken connection
        # (RuntimeError) during a step, before they receive their own SIGTERM. Wait for it.
        if not stop.received:
            time.sleep(1)
        if not stop.received:
            raise
        # The weights are those after the last complete step; the interrupted epoch will run again.
        checkpoint.save(model, optimizer, epoch - 1)
        if rank == 0:
            print(f"stopped in epoch {epoch}", flush=True)
        raise Stopped from error
    finally:
        if log is not None:
            log.close()


@record  # lets torchrun show the traceback of the process that failed first
def main():
    arguments = parse_arguments()
    torch.set_num_threads(1)  # many processes may share a machine

    # torchrun or the operator sets these four variables. Without them, the group has one process.
    for name, value in {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0"}.items():
        os.environ.setdefault(name, value)
    # Waits until all WORLD_SIZE processes have joined. The timeout also limits how long a step waits for a process that
    # has disappeared (its node was lost), so it should be short. torchrun starts all processes at the same time, but
    # without torchrun, the pods may start minutes apart.
    dist.init_process_group("gloo", timeout=timedelta(minutes=2 if dist.is_torchelastic_launched() else 10))
    stop = StopRequest()  # not earlier: a process that still waits has nothing to save, and SIGTERM ends it immediately
    try:
        accuracy = train(arguments, stop)
    except Stopped:
        sys.exit(EXIT_STOPPED)
    if dist.get_rank() == 0:
        print(f"accuracy {accuracy:.4f}", flush=True)
    dist.destroy_process_group()
    # Exit immediately, without shutting down the interpreter: PyTorch's threads sometimes abort the process
    # (exit code 134) there, after all work is done.
    sys.stdout.flush()
    os._exit(0 if accuracy >= arguments.target_accuracy else 1)


if __name__ == "__main__":
    main()
