"""A published model, opened."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import threading
import warnings
import weakref
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Union

from ._command import node, run
from ._errors import DataError, HushrecError, UnknownItemsWarning, UsageError, error_of
from ._frames import Frame, is_frame, is_whole_number, read_columns, text_of, typed

#: {item: rating}, items alone, pairs of (item, rating), or a frame with a column `item` and maybe `rating`.
History = Union[Mapping[Any, Any], Iterable[Any], Any]


class Recommendation(NamedTuple):
    """One item for one person."""

    item: Any
    score: float
    title: str = ""
    #: Items of the history that this one is recommended for, the strongest first.
    because: tuple[Any, ...] = ()


class SimilarItem(NamedTuple):
    """One item that is like another; 1 is the most alike."""

    item: Any
    similarity: float
    title: str = ""


@dataclass(frozen=True)
class Recommendations:
    """A ranking for one person, best first, and what it rests on."""

    items: tuple[Recommendation, ...]
    #: "history", "popularity" or "item-means".
    basis: str
    #: The history had no influence because the model is too noisy to be personal.
    too_noisy: bool
    #: Nobody's history changes the order.
    same_for_all: bool
    #: Items of the history that the model does not know; they had no influence.
    unknown: tuple[Any, ...]

    def __iter__(self) -> Iterator[Recommendation]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, at: int) -> Recommendation:
        return self.items[at]


class Model:
    """A model folder. Opening it checks every file against the certificate; a changed one is a DataError.

    Ids may be of any type: they are compared as text, so that 155, 155.0 and "155" are one item. Answers are
    whole numbers where you asked with whole numbers.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        #: What `train` reported, where it made this model just now.
        self.report: dict[str, Any] = {}
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()
        described = self._ask("open", folder=str(self.folder))
        self.certificate: dict[str, Any] = described["certificate"]
        self.manifest: dict[str, Any] = described["manifest"]

    @property
    def epsilon(self) -> float | None:
        """ε of the certificate; None where there is no guarantee."""
        value: float | None = self.certificate["epsilon"]
        return value

    @property
    def delta(self) -> float | None:
        value: float | None = self.certificate["delta"]
        return value

    @property
    def verdict(self) -> str | None:
        """Whether the model is more than noise: "worth-it", "weak", "same-for-all" or "too-noisy"; None where nothing is known."""
        usefulness: dict[str, Any] = self.certificate.get("usefulness") or {}
        return usefulness.get("verdict")

    @property
    def items(self) -> list[str]:
        """Ids of all items, as text."""
        ids: list[str] = self._ask("items")["ids"]
        return ids

    def recommend(
        self,
        history: History = (),
        k: int = 10,
        *,
        reasons: int = 3,
        include_seen: bool = False,
        only: Iterable[Any] | None = None,
        exclude: Iterable[Any] | None = None,
        about: Iterable[str] | None = None,
    ) -> Recommendations:
        """The k best items for the person with this history. It stays on this machine.

        `about` is what the person says about herself, for a model that learned from features of people.
        """
        entries, as_numbers = _entries(history)
        options = {"k": _count(k), "reasons": reasons, "includeSeen": include_seen, **_choice(only, exclude)}
        if about is not None:
            if isinstance(about, str):
                raise UsageError("about is a text; expected a list of features.")
            options["about"] = list(about)
        answer = self._ask("recommend", history=entries, options=options)
        unknown = tuple(typed(answer["unknown"], as_numbers))
        if unknown:
            shown = ", ".join(str(each) for each in unknown[:5]) + (", …" if len(unknown) > 5 else "")
            count = "1 item of the history is" if len(unknown) == 1 else f"{len(unknown)} items of the history are"
            warnings.warn(f"{count} unknown to the model and had no influence: {shown}", UnknownItemsWarning, stacklevel=2)
        ids = typed([each["id"] for each in answer["items"]], as_numbers)
        items = tuple(
            Recommendation(
                item,
                each["score"],
                each.get("title", ""),
                tuple(typed([reason["id"] for reason in each["because"]], as_numbers)),
            )
            for item, each in zip(ids, answer["items"])
        )
        return Recommendations(items, answer["basis"], answer["tooNoisy"], answer["sameForAll"], unknown)

    def similar(
        self, item: Any, k: int = 10, *, only: Iterable[Any] | None = None, exclude: Iterable[Any] | None = None
    ) -> list[SimilarItem]:
        """Items like this one, from the model alone. An unknown item is a UsageError."""
        answer = self._ask("similar", item=text_of(item), options={"k": _count(k), **_choice(only, exclude)})
        ids = typed([each["id"] for each in answer["items"]], is_whole_number(item))
        return [SimilarItem(name, each["similarity"], each.get("title", "")) for name, each in zip(ids, answer["items"])]

    def recommend_all(
        self,
        histories: Any,
        k: int = 10,
        *,
        out: str | os.PathLike[str] | None = None,
        include_seen: bool = False,
        only: Iterable[Any] | None = None,
        exclude: Iterable[Any] | None = None,
        quiet: bool = True,
        **options: Any,
    ) -> Any:
        """A list for everyone in a frame (or a path): person, rank, item, score[, title].

        Gives a frame of the same library, or, with `out` (.parquet, .csv, postgres://…), writes there and gives
        the report. Lists are made of people's histories: they are personal data, and no certificate covers them.
        Items that the model does not know are named in an UnknownItemsWarning.
        """
        with tempfile.TemporaryDirectory(prefix="hushrec-lists-") as temporary:
            place = Path(temporary)
            source, frame, words = source_of(histories, place)
            target = place / "lists.csv" if out is None else out
            flags = {**options, **_choice_files(only, exclude, place), "include_seen": include_seen or None}
            report = run(
                "recommend", self.folder, histories=source, out=target, k=_count(k), quiet=quiet, words=words, **flags
            )
            unknown = report["unknown"]
            if unknown["items"] > 0:
                shown = ", ".join(unknown["first"]) + (", …" if unknown["items"] > len(unknown["first"]) else "")
                warnings.warn(
                    f"{unknown['items']} items are unknown to the model and had no influence ({unknown['rows']} rows): {shown}",
                    UnknownItemsWarning,
                    stacklevel=2,
                )
            if out is not None:
                return report
            lists: dict[str, list[Any]] = dict(read_columns(Path(target)))
        roles, whole = report.get("columns") or {}, frame.whole if frame else set()
        lists["person"] = typed(lists["person"], roles.get("user") in whole)
        lists["item"] = typed(lists["item"], roles.get("item") in whole)
        lists["rank"] = [int(each) for each in lists["rank"]]
        lists["score"] = [float(each) for each in lists["score"]]
        return frame.like(lists) if frame else lists

    def verify(self) -> Verification:
        """Recomputes what the certificate promises, with a second accountant."""
        return verify(self.folder)

    def close(self) -> None:
        """Ends the process that answers; the next question starts another."""
        with self._lock:
            if self._process is not None:
                _end(self._process)
            self._process = None

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        guarantee = "no guarantee" if self.epsilon is None else f"ε = {self.epsilon:g}, δ = {self.delta:g}"
        return f"Model({str(self.folder)!r}: {self.manifest['method']}, {guarantee})"

    def __getstate__(self) -> dict[str, Any]:
        return {"folder": self.folder, "report": self.report}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["folder"])  # type: ignore[misc]
        self.report = state["report"]

    def _ask(self, ask: str, **request: Any) -> Any:
        with self._lock:
            process = self._process
            if process is None or process.poll() is not None or getattr(self, "_pid", None) != os.getpid():
                process = self._start()
                if ask != "open":
                    self._exchange(process, "open", {"folder": str(self.folder)})
            return self._exchange(process, ask, request)

    def _start(self) -> subprocess.Popen[str]:
        program = Path(__file__).parent / "model.mjs"
        process = subprocess.Popen(
            [node(), str(program)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            # Ctrl-C is for Python; the process ends with its input.
            start_new_session=os.name != "nt",
        )
        self._process, self._pid = process, os.getpid()
        weakref.finalize(self, _end, process)
        return process

    @staticmethod
    def _exchange(process: subprocess.Popen[str], ask: str, request: dict[str, Any]) -> Any:
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps({"ask": ask, **request}) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BaseException:
            # Half a question or an answer nobody read: the next one starts afresh.
            _end(process)
            raise
        if not line:
            raise HushrecError(f"The process that answers for the model ended ({process.wait()}).")
        answer = json.loads(line)
        if "error" in answer:
            raise error_of(answer["error"], kind=answer["kind"])
        return answer["answer"]


def _end(process: subprocess.Popen[str]) -> None:
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            try:
                stream.close()
            except OSError:
                pass
    process.kill()
    process.wait()


@dataclass(frozen=True)
class Verification:
    """Whether a certificate holds, and what was checked."""

    ok: bool
    checks: tuple[dict[str, Any], ...]
    warnings: tuple[str, ...]

    def __bool__(self) -> bool:
        return self.ok


def verify(model: str | os.PathLike[str] | Model, **options: Any) -> Verification:
    """Recomputes what a model's certificate promises with a second accountant, and checks every file's hash."""
    folder = model.folder if isinstance(model, Model) else model
    found = run("verify", folder, quiet=True, accept=range(5), **options)
    return Verification(found["ok"], tuple(found["checks"]), tuple(found.get("warnings") or ()))


def source_of(data: Any, place: Path) -> tuple[Path | str, Frame | None, Any]:
    """What the command reads: a path as it is, a frame as a file in `place`; and how messages call it."""
    if isinstance(data, (str, os.PathLike)):
        return os.fspath(data), None, lambda text: text
    if not is_frame(data):
        raise UsageError(
            f"A {type(data).__name__} is no frame. Give a frame of pandas, polars or Arrow, a dictionary of columns, or a path."
        )
    frame = Frame(data)
    path = place / "frame.csv"
    frame.write(path)
    return path, frame, lambda text: in_rows(text, path)


def in_rows(text: str, path: Path) -> str:
    """Line 2 of the file is row 0 of the frame."""
    text = text.replace(str(path), "the frame")
    return re.sub(r"\bline (\d+)", lambda found: f"row {int(found[1]) - 2}" if int(found[1]) > 1 else "the header", text)


def _count(k: Any) -> int:
    if isinstance(k, bool) or not is_whole_number(k):
        raise UsageError(f"k is {k!r}; expected a whole number.")
    return int(k)


def _choice(only: Iterable[Any] | None, exclude: Iterable[Any] | None) -> dict[str, list[str]]:
    given = {"only": only, "exclude": exclude}
    for name, ids in given.items():
        if isinstance(ids, str):
            raise UsageError(f"{name} is a text; expected a list of items.")
    return {name: [text_of(each) for each in ids] for name, ids in given.items() if ids is not None}


def _choice_files(only: Iterable[Any] | None, exclude: Iterable[Any] | None, place: Path) -> dict[str, Path]:
    files: dict[str, Path] = {}
    for name, ids in _choice(only, exclude).items():
        flag = "without" if name == "exclude" else name
        files[flag] = place / f"{flag}.csv"
        Frame({"item": ids}).write(files[flag])
    return files


#: What columns of a history are called, as for the command.
_item_name = r"(item|movie|film|product|article|track|song|artist|book|game|isbn|asin|sku)[ _-]?(id)?"
_user_name = r"(user|customer|member|reviewer|person|uid)[ _-]?(id)?"
_rating_name = r"ratings?|score|stars|grade|value"


def _entries(history: Any) -> tuple[list[dict[str, Any]], bool]:
    """A history as the library reads it, and whether its ids are whole numbers."""
    if isinstance(history, (str, bytes)):
        raise UsageError("The history is a text; expected {item: rating}, a list of items, or a frame.")
    if is_frame(history) and not isinstance(history, Mapping):
        frame = Frame(history)
        item, user, rating = (
            next((at for at, name in enumerate(frame.names) if re.fullmatch(pattern, name.strip(), re.I)), None)
            for pattern in (_item_name, _user_name, _rating_name)
        )
        if item is None and "id" in frame.names:
            item = frame.names.index("id")
        if item is None:
            raise DataError(f"The history has no column item; it has {', '.join(frame.names)}.")
        if user is not None and len(set(frame._texts(user, 0, frame._height))) > 1:
            raise DataError("The history has rows of several people. Give the rows of one person, or use recommend_all.")
        ids = frame._block(item, 0, frame._height)
        ratings = frame._block(rating, 0, frame._height) if rating is not None else [None] * len(ids)
        pairs = list(zip(ids, ratings))
    elif isinstance(history, Mapping):
        pairs = list(history.items())
    else:
        pairs = [each if isinstance(each, tuple) and len(each) == 2 else (each, None) for each in history]
    entries: list[dict[str, Any]] = []
    for place, (item, rating) in enumerate(pairs):
        name = text_of(item)
        if name == "":
            raise DataError(f"The history, entry {place}: an item without an id.")
        if rating is None:
            entries.append({"id": name})
            continue
        try:
            entries.append({"id": name, "rating": float(rating)})
        except (TypeError, ValueError):
            raise DataError(f"The history, entry {place}: the rating is {rating!r}; expected a number.") from None
    return entries, len(pairs) > 0 and all(is_whole_number(item) for item, _ in pairs)
