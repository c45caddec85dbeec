"""Frames of pandas, polars or Arrow, and plain dictionaries of columns: to rows of text, and back.

None of these libraries is needed by this one: what a frame is, is asked of the frame.
"""

from __future__ import annotations

import csv
import datetime
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ._errors import DataError, UsageError

_rows_at_once = 100_000


def is_frame(data: object) -> bool:
    return not isinstance(data, (str, bytes, os.PathLike)) and (
        isinstance(data, Mapping)
        or type(data).__module__.split(".")[0] == "polars"
        or hasattr(data, "columns")
        or hasattr(data, "column_names")
        or hasattr(data, "__arrow_c_stream__")
        or hasattr(data, "__dataframe__")
    )


def text_of(value: Any) -> str:
    """A cell as text. Whole numbers are written alike whatever their type: 155, 155.0 and numpy's 155 are one id."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if math.isnan(value):
            return ""
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, datetime.datetime):
        if value != value:  # pandas' NaT
            return ""
        moment = value if value.tzinfo is not None else value.replace(tzinfo=datetime.timezone.utc)
        return moment.astimezone(datetime.timezone.utc).isoformat().replace("+00:00", "Z")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", "strict")
    if hasattr(value, "item"):  # a number of numpy
        return text_of(value.item())
    text = str(value)
    return "" if text in ("<NA>", "NaT") else text


def is_whole_number(value: Any) -> bool:
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):
        value = value.item()
    return (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, float) and value.is_integer())


def typed(ids: Sequence[str], as_numbers: bool) -> list[Any]:
    """Ids in the type they were asked with: whole numbers where all of them are, else text."""
    if not as_numbers:
        return list(ids)
    numbers: list[Any] = []
    known: dict[str, int] = {}
    for each in ids:
        number = known.get(each)
        if number is None:
            try:
                number = int(each)
            except ValueError:
                return list(ids)
            if str(number) != each:
                return list(ids)
            known[each] = number
        numbers.append(number)
    return numbers


class Frame:
    """A frame of any library, read column by column in blocks of rows."""

    def __init__(self, data: Any) -> None:
        self.library = type(data).__module__.split(".")[0]
        if hasattr(data, "collect") and self.library == "polars":
            data = data.collect()
        elif self.library == "pandas":
            if any(name is not None for name in data.index.names):
                data = data.reset_index()
        elif not isinstance(data, Mapping) and not hasattr(data, "columns") and not hasattr(data, "column_names"):
            data = _through_arrow(data)
            self.library = type(data).__module__.split(".")[0]
        if hasattr(data, "read_all"):
            data = data.read_all()
        self._data = data
        if self.library == "pyarrow":
            self.names = [str(name) for name in data.column_names]
            self._height = data.num_rows
        elif isinstance(data, Mapping):
            self.library = "dict"
            self.names = [str(name) for name in data]
            lengths = {len(column) for column in data.values()}
            if len(lengths) > 1:
                raise DataError("The columns of the frame have different lengths.")
            self._height = lengths.pop() if lengths else 0
        else:
            self.names = [str(name) for name in data.columns]
            self._height = len(data)
        if self._height == 0:
            raise DataError("The frame has no rows.")
        if len(set(self.names)) < len(self.names):
            raise DataError("Two columns of the frame have the same name. Rename one.")
        #: Columns whose values are whole numbers, all of them.
        self.whole: set[str] = set(self.names)

    def _block(self, at: int, start: int, end: int) -> list[Any]:
        if self.library == "pyarrow":
            values: list[Any] = self._data.column(at).slice(start, end - start).to_pylist()
        elif self.library == "pandas":
            values = self._data.iloc[start:end, at].tolist()
        elif self.library == "polars":
            values = self._data.to_series(at).slice(start, end - start).to_list()
        else:
            column = list(self._data.values())[at] if self.library == "dict" else self._data[self._data.columns[at]]
            part = column[start:end]
            values = part.tolist() if hasattr(part, "tolist") else list(part)
        return values

    def _texts(self, at: int, start: int, end: int) -> list[str]:
        values = self._block(at, start, end)
        known: dict[Any, str] = {}
        whole = self.names[at] in self.whole
        texts: list[str] = []
        for row, value in enumerate(values):
            try:
                text = known.get(value) if type(value) is not float else None
            except TypeError:
                text, value = None, str(value)
            if text is None:
                try:
                    text = text_of(value)
                except UnicodeDecodeError:
                    raise DataError(f"The frame, row {start + row}: bytes that are no UTF-8 text.") from None
                if whole and text != "" and not is_whole_number(value):
                    whole = False
                if type(value) is not float:
                    try:
                        known[value] = text
                    except TypeError:
                        pass
            texts.append(text)
        if not whole:
            self.whole.discard(self.names[at])
        return texts

    def write(self, path: Path) -> None:
        """As CSV, for this user alone."""
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self.names)
            for start in range(0, self._height, _rows_at_once):
                end = min(start + _rows_at_once, self._height)
                writer.writerows(zip(*(self._texts(at, start, end) for at in range(len(self.names)))))

    def like(self, columns: dict[str, list[Any]]) -> Any:
        """Columns as a frame of the same library."""
        return made_by(self.library, columns)


def made_by(library: str, columns: dict[str, list[Any]]) -> Any:
    if library == "pandas":
        import pandas  # type: ignore[import-untyped, import-not-found, unused-ignore]

        return pandas.DataFrame(columns)
    if library == "polars":
        import polars  # type: ignore[import-not-found, unused-ignore]

        return polars.DataFrame(columns)
    if library == "pyarrow":
        import pyarrow  # type: ignore[import-untyped, import-not-found, unused-ignore]

        return pyarrow.table(columns)
    return columns


def _through_arrow(data: Any) -> Any:
    """What speaks Arrow's interface, or the interchange protocol, through whichever library is there."""
    if not is_frame(data):
        raise UsageError(
            f"A {type(data).__name__} is no frame. Give a frame of pandas, polars or Arrow, a dictionary of columns, or a path."
        )
    try:
        import pyarrow

        if hasattr(data, "__arrow_c_stream__"):
            return pyarrow.table(data)
        from pyarrow.interchange import from_dataframe  # type: ignore[import-untyped, import-not-found, unused-ignore]

        return from_dataframe(data)
    except ImportError:
        pass
    try:
        import polars

        return polars.DataFrame(data)
    except ImportError:
        raise UsageError(
            f"A frame of {type(data).__module__.split('.')[0]} needs pyarrow or polars to be read. Run: pip install pyarrow"
        ) from None


def read_rows(path: Path) -> Iterator[list[str]]:
    """Rows of a CSV file that the command wrote, the header first."""
    with open(path, newline="", encoding="utf-8") as file:
        yield from csv.reader(file)


def read_columns(path: Path) -> dict[str, list[str]]:
    rows = read_rows(path)
    names = next(rows)
    columns = list(zip(*rows))
    return {name: list(columns[at]) if columns else [] for at, name in enumerate(names)}
