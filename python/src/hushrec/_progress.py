"""What a command says on the way: a line that changes, in a notebook or on a terminal."""

from __future__ import annotations

import sys
from typing import Any


class Progress:
    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._in_notebook = not quiet and _is_notebook()
        self._handle: Any = None
        self._is_drawn = False

    def update(self, update: dict[str, Any]) -> None:
        """One step: {"stage": …, "done": …, "total": …}."""
        if self._quiet:
            return
        done, total = update.get("done") or 0, update.get("total") or 1
        share = min(1.0, done / total)
        text = f"{update['stage']} {'█' * round(30 * share)}{'░' * (30 - round(30 * share))} {share:4.0%}"
        if self._in_notebook:
            import IPython.display  # type: ignore[import-not-found, unused-ignore]

            show: Any = IPython.display.display
            content = {"text/plain": text}
            if self._handle is None:
                self._handle = show(content, raw=True, display_id=True)
            else:
                self._handle.update(content, raw=True)
        elif sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[2K{text}")
            sys.stderr.flush()
            self._is_drawn = True

    def say(self, line: str) -> None:
        if self._quiet:
            return
        self._clear()
        print(line, file=sys.stdout if self._in_notebook else sys.stderr)

    def close(self) -> None:
        self._clear()
        if self._handle is not None:
            self._handle.update({"text/plain": ""}, raw=True)

    def _clear(self) -> None:
        if self._is_drawn:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
        self._is_drawn = False


def _is_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")
