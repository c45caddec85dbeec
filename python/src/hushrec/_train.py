"""From a frame to a model, and what it is worth."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ._command import check_number, run
from ._errors import UsageError
from ._frames import Frame, is_frame, read_columns, typed
from ._model import Model, source_of


def train(
    data: Any,
    epsilon: float | None = None,
    *,
    out: str | os.PathLike[str],
    delta: float | None = None,
    method: str | None = None,
    people: int | None = None,
    scale: str | None = None,
    liked: float | None = None,
    items: Any = None,
    catalogue: Any = None,
    set: Mapping[str, Any] | None = None,
    kept_in: str | os.PathLike[str] | None = None,
    ledger: str | os.PathLike[str] | None = None,
    account: str | None = None,
    overwrite: bool = False,
    quiet: bool = False,
    **options: Any,
) -> Model:
    """Trains a model of a frame (or of a path), pays for it from the ledger, and certifies what it promises.

    `data` has columns user, item and maybe rating and time (others: say columns="customer,product,stars").
    Ratings of a frame are kept in a data set folder, which is private: `kept_in`, or `<out>.hushrec`. The people's
    budget belongs to it: train there again, and what they spent is remembered.
    `people` is the number of people as a public figure, `scale` "min:max:step". `items` is a public table about items,
    `item,title[,link,image,…]`, and `catalogue` one of all items there are; both a frame or a path. Other flags of `hushrec train` go by
    their names: seed=1, signing_key="key.pem".
    """
    if epsilon is not None:
        check_number("epsilon", epsilon)
    if isinstance(epsilon, str):
        raise UsageError(f"epsilon is {epsilon!r}; expected a number.")
    with tempfile.TemporaryDirectory(prefix="hushrec-train-") as temporary:
        source, frame, words = source_of(data, Path(temporary))
        how: dict[str, Any] = {"quiet": quiet, "words": words}
        asked: dict[str, Any] = {"scale": scale, "catalogue": _table("catalogue", catalogue, Path(temporary)), "account": account, **options}
        if items is not None:
            asked["items"] = _table("items", items, Path(temporary))
        if frame or kept_in is not None or any(name in asked for name in _OF_IMPORT_ALONE):
            place = Path(kept_in if kept_in is not None else f"{os.fspath(out)}.hushrec")
            _refuse_other_source(place, Path(source))
            _read(source, place, asked, ledger=ledger, new_ledger=asked.pop("new_ledger", None), **how)
            source = place
        report = run(
            *("train", source),
            **how,
            epsilon=epsilon,
            out=out,
            delta=delta,
            method=method,
            people=people,
            liked=liked,
            set=set,
            ledger=ledger,
            overwrite=overwrite or None,
            **asked,
        )
    model = Model(out)
    model.report = report
    return model


def evaluate(
    model: str | os.PathLike[str] | Model,
    data: Any,
    *,
    test: Any = None,
    protocol: str | None = None,
    metrics: Sequence[str] | str | None = None,
    quiet: bool = False,
    **options: Any,
) -> dict[str, Any]:
    """Metrics of a model with confidence intervals: under a protocol, or on the rows of `test`.

    `result["metrics"]["recall@20"]` is {"value", "low", "high"}.
    """
    folder = model.folder if isinstance(model, Model) else model
    with tempfile.TemporaryDirectory(prefix="hushrec-evaluate-") as temporary:
        place = Path(temporary)
        columns = options.get("columns")
        source, frame, how, _ = _dataset(data, place, options, quiet)
        if test is not None:
            (place / "test").mkdir()
            test, _, _ = source_of(test, place / "test")
            options = {"columns": columns, **options}
        if frame:
            options = {"save": False, **options}
        return run(
            *("evaluate", folder, source), **how, **{"test": test, "protocol": protocol, "metrics": metrics, **options}
        )


# How rows are read: said to `hushrec import`, which is called first where any of it is given.
_OF_IMPORT_ALONE = ("format", "separator", "header", "events", "skip_bad_rows", "items", "items_query")
_READING = (*_OF_IMPORT_ALONE, "columns", "query", "scale", "catalogue", "account")


def _read(source: Any, place: Path, options: dict[str, Any], **how: Any) -> dict[str, Any]:
    """Imports a source into a data set folder, with what of `options` says how it is read: it is taken out of them."""
    reading = {name: options.pop(name) for name in _READING if name in options}
    return run("import", source, place, overwrite=True, **how, **reading)


def _dataset(
    data: Any, place: Path, options: dict[str, Any], quiet: bool, always: bool = False
) -> tuple[Any, Frame | None, dict[str, Any], dict[str, str]]:
    """A source for what publishes nothing, which is imported into `place` where it is a frame, or read in a way of its own."""
    source, frame, words = source_of(data, place)
    how: dict[str, Any] = {"quiet": quiet, "words": words}
    is_dataset = os.path.exists(os.path.join(source, "dataset.json"))
    if is_dataset or not (frame or always or any(name in options for name in _READING)):
        return source, frame, how, {}
    how.update(_passing(place))
    read = _read(source, place / "data.hushrec", options, **how)
    return place / "data.hushrec", frame, how, read.get("columns") or {}


def _refuse_other_source(place: Path, source: Path) -> None:
    """What another source put into a folder may be there only: it is not replaced on the way."""
    try:
        manifest = json.loads((place / "dataset.json").read_text("utf-8"))
    except (OSError, ValueError):
        return
    before = manifest.get("provenance", {}).get("source", manifest.get("name"))
    if before != source.name:
        raise UsageError(f"{place}: it holds {before}, not {source.name}. Name another folder in kept_in.")


def compare(
    data: Any,
    *,
    methods: Sequence[str] | str | None = None,
    epsilons: Iterable[float] | str | None = None,
    out: str | os.PathLike[str] | None = None,
    quiet: bool = False,
    **options: Any,
) -> list[dict[str, Any]]:
    """Quality against privacy: a row for each method and ε (method, epsilon, metric, mean, sd, …).

    Runs are simulations: they protect nobody. With `out` the table, the CSV and the report are kept there.
    """
    with tempfile.TemporaryDirectory(prefix="hushrec-compare-") as temporary:
        place = Path(temporary)
        source, _, how, _ = _dataset(data, place, options, quiet)
        if epsilons is not None and not isinstance(epsilons, str):
            epsilons = list(epsilons)
        found = run(
            *("compare", source), **how, **{"methods": methods, "epsilons": epsilons, "out": out or place / "compare", **options}
        )
    rows: list[dict[str, Any]] = found["rows"]
    return rows


def split(
    data: Any, protocol: str = "holdout", *, seed: int = 1, liked: float | None = None, quiet: bool = True, **options: Any
) -> dict[str, Any]:
    """The parts of a protocol as frames: the split that `hushrec evaluate` uses, for other libraries too.

    {"train", "validation", "test"} for "holdout", {"train", "test"} for "leave-one-out", and for
    "strong-generalization" {"train", "validation-history", "validation-target", "test-history", "test-target"}. Columns
    are user, item[, rating][, time]; if someone rated an item twice, the later rating counts. Ids keep their type.
    """
    with tempfile.TemporaryDirectory(prefix="hushrec-split-") as temporary:
        place = Path(temporary)
        source, frame, how, roles = _dataset(data, place, options, quiet, always=True)
        found = run(
            *("split", source),
            **{**how, **_passing(place), "protocol": protocol, "split_seed": seed, "liked": liked, "out": place / "parts", **options},
        )
        parts = {name: read_columns(place / "parts" / f"{name}.csv") for name in found["parts"]}
    whole = frame.whole if frame else frozenset[str]()
    for name, part in parts.items():
        columns: dict[str, list[Any]] = {
            "user": typed(part["user"], roles.get("user") in whole),
            "item": typed(part["item"], roles.get("item") in whole),
        }
        for numbers in ("rating", "time"):
            if numbers in part:
                columns[numbers] = [float(each) for each in part[numbers]]
        parts[name] = frame.like(columns) if frame else columns
    return parts


def _table(name: str, table: Any, place: Path) -> Any:
    """A path as it is, a frame as a file."""
    if table is None or not is_frame(table):
        return table
    path = place / f"{name}.csv"
    Frame(table).write(path)
    return path


def _passing(place: Path) -> dict[str, Any]:
    """For what publishes nothing: a ledger that goes with the folder, so that no account is left behind."""
    return {"environment": {"HUSHREC_LEDGER": "", "XDG_STATE_HOME": str(place), "LOCALAPPDATA": str(place)}}
