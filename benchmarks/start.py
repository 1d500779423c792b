"""How much processor time it takes to begin: help, the server's import, and two consultations from cold.

Each figure is the least of a few fresh processes, user and system time together, so that neighbours matter
little. The aims: any help 0.5 s, the import of the server 2 s, two consultations of the library 3 s.

    python benchmarks/start.py --json
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Final

from typer.main import get_command

from osler.cli.lazy_commands import Later
from osler.cli.main import app

OSLER: Final = ("-c", "from osler.cli.main import main; main()")
RUN: Final = "import osler; assert osler.run('consultation', 'library', limit=2).info.status == 'done'"
AIMS: Final = {"osler --help": 0.5, "import osler.web.app": 2.0, "osler.run of two": 3.0}
MOST_HELP_S: Final = 0.5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--times", type=int, default=3, help="processes for each figure")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    given = parser.parse_args()
    figures = {
        "osler --help": cpu_s(given.times, *OSLER, "--help"),
        "import osler.web.app": cpu_s(given.times, "-c", "import osler.web.app"),
        "osler.run of two": cpu_s(given.times, "-c", RUN),
    }
    helps = {" ".join(words): cpu_s(given.times, *OSLER, *words, "--help") for words in commands()}
    slow = {name: value for name, value in helps.items() if value > MOST_HELP_S}
    worst = max(helps, key=helps.__getitem__)
    found = {
        **{name: {"cpu_s": value, "aim_s": AIMS[name]} for name, value in figures.items()},
        "slowest help": {"command": worst, "cpu_s": helps[worst], "aim_s": MOST_HELP_S},
        "helps": {"n": len(helps), "above": dict(sorted(slow.items(), key=lambda each: -each[1]))},
    }
    lines = (f"{name:24} {value}" for name, value in found.items())
    print(json.dumps(found) if given.json else "\n".join(lines))


def commands() -> Iterator[tuple[str, ...]]:
    """The words of every command, within groups too."""

    def within(command: object, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        if words:
            yield words
        for name, each in getattr(command, "commands", {}).items():
            yield from within(each.imported() if isinstance(each, Later) else each, (*words, name))

    return within(get_command(app), ())


def cpu_s(times: int, *words: str) -> float:
    """The least processor time of a Python process with these words, in seconds."""

    def once() -> float:
        process = subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{' '.join(words)} ended with {process.returncode}")
        return used.ru_utime + used.ru_stime

    return round(min(once() for _ in range(times)), 2)


if __name__ == "__main__":
    main()
