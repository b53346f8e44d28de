"""One process or several: what the training asks of ``torchrun``."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist

from ..errors import SignGTError

__all__ = ["World"]


class World:
    """The processes of this training; a single one unless ``torchrun`` is used.

    Parameters
    ----------
    device : str
        The recipe's device. ``auto`` takes a GPU where there is one; under
        ``torchrun`` each process takes the GPU of its local rank.
    """

    def __init__(self, device: str = "cpu") -> None:
        self.size = int(os.environ.get("WORLD_SIZE", "1"))
        self.rank = int(os.environ.get("RANK", "0"))
        self.device = self._choose(device)
        self._joined = False
        if self.size > 1 and not dist.is_initialized():
            backend = "nccl" if self.device.type == "cuda" else "gloo"
            dist.init_process_group(backend, timeout=timedelta(minutes=30))
            self._joined = True

    def _choose(self, name: str) -> torch.device:
        gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
        if name == "auto":
            name = "cuda" if gpus else "cpu"
        device = torch.device(name)
        if device.type != "cuda":
            return device
        if not gpus:
            raise SignGTError(
                f"device: {name} is not available here; use cpu or auto"
            )
        if device.index is None:
            device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0)))
        if device.index >= gpus:
            raise SignGTError(
                f"device: {device} does not exist; this machine has {gpus} "
                f"GPU(s), numbered from 0"
            )
        torch.cuda.set_device(device)
        return device

    @property
    def first(self) -> bool:
        """Whether this is the process that writes and speaks."""
        return self.rank == 0

    def share(self, value: Any) -> Any:
        """The first process's ``value``, on all processes."""
        if self.size == 1:
            return value
        box = [value]
        dist.broadcast_object_list(box, src=0)
        return box[0]

    def gather(self, value: Any) -> list[Any]:
        """Every process's ``value``, in the order of ranks."""
        if self.size == 1:
            return [value]
        box: list[Any] = [None] * self.size
        dist.all_gather_object(box, value)
        return box

    def wrap(self, model: torch.nn.Module) -> torch.nn.Module:
        """The model with gradients averaged over the processes."""
        if self.size == 1:
            return model
        return torch.nn.parallel.DistributedDataParallel(model)

    def same_buffers(self, model: torch.nn.Module) -> None:
        """Give all processes the first one's running statistics."""
        if self.size > 1:
            for buffer in model.buffers():
                dist.broadcast(buffer, src=0)

    def close(self) -> None:
        """Leave the process group that this object joined."""
        if self._joined and dist.is_initialized():
            dist.destroy_process_group()
