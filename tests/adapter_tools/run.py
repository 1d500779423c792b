"""Test each adapter in an environment of its own, several at once: `tests/adapter_tools/run.py mcp inspect`,
with `-m smoke` by the tests that have this mark.

An adapter whose tool cannot be installed is skipped, and that is said; it is red if all are, or if one that
is installed runs no test.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import venv
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NEEDED = ("hypothesis", "pytest")


def environment(name: str) -> Path | None:
    """The Python of an adapter's environment, made once for each pyproject.toml; `None` if it cannot be
    installed."""
    folder = ROOT / f".venv-{name}"
    python, stamp = folder / "bin" / "python", folder / "installed"
    wanted = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return python
    print(f"Installing Osler with its adapter {name} into .venv-{name} (once)", flush=True)
    if not python.exists():
        venv.create(folder, with_pip=True, symlinks=True)  # a copy may be busy while another is started
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run([*pip, "-e", f"{ROOT}[{name}]", *NEEDED], cwd=ROOT, check=False)
    if done.returncode:
        return None
    stamp.write_text(wanted, encoding="utf-8")
    return python


def tested(name: str, marked: Sequence[str]) -> int | None:
    """Run an adapter's suite, or what is marked so, and print what it said. Returns its exit code, or `None`
    if it was skipped."""
    python = environment(name)
    if python is None:
        return None
    tests = ["-m", "pytest", "-p", "no:cacheprovider", "-rs", *marked, f"tests/adapter_tools/{name}"]
    done = subprocess.run(
        [str(python), *tests],
        cwd=ROOT,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    print(f"{name}:\n{done.stdout}", flush=True)
    return done.returncode


def main(words: list[str]) -> int:
    """Run the suites of some adapters. Returns 1 if any failed, or all were skipped."""
    parser = argparse.ArgumentParser(description="Test adapters, each in an environment of its own.")
    parser.add_argument("-m", dest="mark", help="only the tests with this mark")
    parser.add_argument("names", nargs="+", metavar="ADAPTER")
    asked = parser.parse_args(words)
    names: list[str] = asked.names
    marked = ["-m", asked.mark] if asked.mark else []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        ended = dict(zip(names, pool.map(partial(tested, marked=marked), names), strict=True))
    skipped = [name for name, code in ended.items() if code is None]
    failed = [name for name, code in ended.items() if code]
    for name in skipped:
        print(f"skipped: what the adapter {name} needs could not be installed")
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed or len(skipped) == len(names) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
