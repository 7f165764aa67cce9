"""Trains a very small language model with Hugging Face's Trainer, on any number of processes.

The script does not contain any code for reports. If the operator has set KUBEFLOW_TRAINER_SERVER_URL, the Trainer
reports automatically (KubeflowCallback, in recent releases of Transformers): percentage, remaining time, step, loss.

  pip install torch transformers accelerate
  python transformers_train.py
  torchrun --nproc_per_node=2 transformers_train.py --output-dir /tmp/words

The script generates model and data and downloads nothing. Each sample counts up from a random number, modulo 97.
"""

import argparse
import os
import time

import torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments
from transformers.trainer_utils import get_last_checkpoint

NUMBERS = 97


class Counting(Dataset):
    """Sequences that count: 17 18 19 … 96 0 1 …"""

    def __init__(self, samples, length=32, sample_delay=0.0):
        generator = torch.Generator().manual_seed(0)
        starts = torch.randint(NUMBERS, (samples, 1), generator=generator)
        self.sequences = (starts + torch.arange(length)) % NUMBERS
        self.sample_delay = sample_delay

    def __len__(self):
        return len(self.sequences)

    def __getitem__(self, index):
        time.sleep(self.sample_delay)
        return {"input_ids": self.sequences[index], "labels": self.sequences[index]}


def main():
    parser = argparse.ArgumentParser(description="Train a language model to count.")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--output-dir", default="/tmp/counting", help="for checkpoints; shared by all processes")
    parser.add_argument("--sample-delay", type=float, default=0.0, help="seconds that a sample takes (for demos)")
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # many processes may share a machine

    config = GPT2Config(
        vocab_size=NUMBERS, n_positions=32, n_embd=64, n_layer=2, n_head=2, bos_token_id=None, eos_token_id=None
    )
    trainer = Trainer(
        model=GPT2LMHeadModel(config),
        args=TrainingArguments(
            output_dir=arguments.output_dir,
            max_steps=arguments.steps,
            per_device_train_batch_size=8,
            learning_rate=2e-3,
            logging_steps=10,
            save_steps=50,
            save_total_limit=2,
            use_cpu=True,
            disable_tqdm=True,  # log one line every ten steps instead
        ),
        train_dataset=Counting(samples=4096, sample_delay=arguments.sample_delay),
    )
    os.makedirs(arguments.output_dir, exist_ok=True)
    # After a restart, continue from the checkpoint.
    trainer.train(resume_from_checkpoint=get_last_checkpoint(arguments.output_dir))


if __name__ == "__main__":
    main()
