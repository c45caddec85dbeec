"""From a frame to a model, and what it is worth."""

from __future__ import annotations

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
        place = kept_in if kept_in is not None else f"{os.fspath(out)}.hushrec" if frame else None
        tables = {name: _table(name, table, Path(temporary)) for name, table in (("items", items), ("catalogue", catalogue))}
        report = run(
            *("train", source),
            quiet=quiet,
            words=words,
            epsilon=epsilon,
            out=out,
            data=place,
            delta=delta,
            method=method,
            people=people,
            scale=scale,
            liked=liked,
            set=set,
            ledger=ledger,
            account=account,
            overwrite=overwrite or None,
            **tables,
            **options,
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
        source, frame, words = source_of(data, place)
        if test is not None:
            (place / "test").mkdir()
            test, _, _ = source_of(test, place / "test")
        here = _passing(place) if frame else {}
        if frame:
            options = {"save": False, **options, "data": place / "data.hushrec"}
        return run(
            *("evaluate", folder, source),
            **{"quiet": quiet, "words": words, **here},
            **{"test": test, "protocol": protocol, "metrics": metrics, **options},
        )


# How rows are read: said to `hushrec import`, which `compare` calls first where any of it is given.
_READING = (
    *("format", "separator", "header", "columns", "events", "skip_bad_rows", "query"),
    *("scale", "catalogue", "items", "items_query", "account"),
)


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
        source, frame, words = source_of(data, place)
        is_dataset = os.path.exists(os.path.join(source, "dataset.json"))
        reading = {} if is_dataset else {name: options.pop(name) for name in _READING if name in options}
        here = _passing(place) if frame or reading else {}
        if reading:
            run("import", source, place / "data.hushrec", words=words, quiet=quiet, **here, **reading)
            source = place / "data.hushrec"
        elif frame:
            options = {**options, "data": place / "data.hushrec"}
        if epsilons is not None and not isinstance(epsilons, str):
            epsilons = list(epsilons)
        found = run(
            *("compare", source),
            **{"quiet": quiet, "words": words, **here},
            **{"methods": methods, "epsilons": epsilons, "out": out or place / "compare", **options},
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
        source, frame, words = source_of(data, place)
        settings: dict[str, Any] = {"quiet": quiet, **_passing(place)}
        roles: dict[str, str] = {}
        if not os.path.exists(os.path.join(source, "dataset.json")):
            read = run("import", source, place / "data.hushrec", words=words, **settings, **options)
            source, roles, options = place / "data.hushrec", read.get("columns") or {}, {}
        found = run(
            *("split", source),
            **{**settings, "protocol": protocol, "split_seed": seed, "liked": liked, "out": place / "parts", **options},
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
