"""Differentially private recommenders.

    model = hushrec.train(frame, epsilon=1.0, people=37_000, out="model")
    model.recommend({155: 5, 71: 4}, k=10)

`train` pays from a ledger and certifies what the model promises; `verify` recomputes it. Everything is done on this
machine, by the command `hushrec` that is in this package.
"""

from ._command import run
from ._errors import DataError, HeldBackError, HushrecError, PrivacyError, UnknownItemsWarning, UsageError
from ._model import Model, Recommendation, Recommendations, SimilarItem, Verification, verify
from ._train import compare, evaluate, split, train

__version__ = "0.1.0"

__all__ = [
    "DataError",
    "HeldBackError",
    "HushrecError",
    "Model",
    "PrivacyError",
    "Recommendation",
    "Recommendations",
    "SimilarItem",
    "UnknownItemsWarning",
    "UsageError",
    "Verification",
    "compare",
    "evaluate",
    "run",
    "split",
    "train",
    "verify",
]
