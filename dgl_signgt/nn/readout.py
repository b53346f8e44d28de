"""The MLP on top of the encoder"""

from __future__ import annotations

from torch import Tensor, nn

from dgl_signgt.nn.activations import activation as make_activation
from dgl_signgt.nn.dropout import Dropout

__all__ = ["Readout"]


class Readout(nn.Module):
    r"""An MLP from representations to class scores.

    Parameters
    ----------
    in_size : int
        Size of a representation.
    out_size : int
        Number of outputs.
    num_layers : int, optional
        Number of linear layers; all but the last keep ``in_size``.
        Default: 1.
    activation : str, optional
        Activation between the layers. Default: ``"relu"``.
    dropout : float, optional
        Dropout before each layer but the first. Default: 0.

    Examples
    --------
    >>> import torch
    >>> Readout(16, 3, num_layers=2)(torch.rand(5, 16)).shape
    torch.Size([5, 3])
    """

    def __init__(
        self,
        in_size: int,
        out_size: int,
        num_layers: int = 1,
        activation: str = "relu",
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if num_layers < 1:
            raise ValueError(
                f"A readout has at least one layer, got {num_layers}."
            )
        parts: list[nn.Module] = []
        for _ in range(num_layers - 1):
            parts += [
                nn.Linear(in_size, in_size),
                make_activation(activation),
                Dropout(dropout),
            ]
        self.layers = nn.Sequential(*parts, nn.Linear(in_size, out_size))

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        for layer in self.layers:
            if isinstance(layer, nn.Linear):
                layer.reset_parameters()

    def forward(self, feat: Tensor) -> Tensor:
        """Map shape :math:`(N, d)` to :math:`(N, C)`."""
        return self.layers(feat)
