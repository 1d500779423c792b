"""Test each adapter in an environment of its own: `python tests/adapter_tools/run.py mcp inspect ray`.

An adapter whose tool cannot be installed is skipped, and that is said; it is red if all are, or if one that
is installed runs no test.
"""

from __future__ import annotations

import subprocess
import sys
import venv
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
        venv.create(folder, with_pip=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run([*pip, "-e", f"{ROOT}[{name}]", *NEEDED], cwd=ROOT, check=False)
    if done.returncode:
        return None
    stamp.write_text(wanted, encoding="utf-8")
    return python


def main(names: list[str]) -> int:
    """Run the suites of some adapters. Returns 1 if any failed, or all were skipped."""
    failed, skipped = [], []
    for name in names:
        python = environment(name)
        if python is None:
            skipped.append(name)
            continue
        tests = ["-m", "pytest", "-p", "no:cacheprovider", "-rs", f"tests/adapter_tools/{name}"]
        if subprocess.run([str(python), *tests], cwd=ROOT, check=False).returncode:
            failed.append(name)
    for name in skipped:
        print(f"skipped: what the adapter {name} needs could not be installed")
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed or len(skipped) == len(names) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
