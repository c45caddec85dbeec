"""Errors of the command, by kind: who must act."""

from __future__ import annotations


class HushrecError(Exception):
    """The command failed. `kind` says who must act; this one is of the machine or of the program."""

    kind: str = "failed"
    exit_code: int = 1


class UsageError(HushrecError, ValueError):
    """Something was asked for in a way that is not understood. Nothing was done."""

    kind = "usage"
    exit_code = 2


class DataError(HushrecError, ValueError):
    """Data that cannot be used as it is: the message says where, why, and what to do."""

    kind = "data"
    exit_code = 3


class PrivacyError(HushrecError):
    """Refused to protect people: the budget is spent, or no guarantee can be given. Nothing was released."""

    kind = "privacy"
    exit_code = 4


class HeldBackError(HushrecError):
    """A model was trained and paid for, and a gate kept it from going live."""

    kind = "held-back"
    exit_code = 5


class UnknownItemsWarning(UserWarning):
    """Items of a history that the model does not know; they had no influence."""


_classes = (HushrecError, UsageError, DataError, PrivacyError, HeldBackError)


def error_of(message: str, *, exit_code: int | None = None, kind: str | None = None) -> HushrecError:
    for each in _classes:
        if each.exit_code == exit_code or each.kind == kind:
            return each(message)
    return HushrecError(message)
