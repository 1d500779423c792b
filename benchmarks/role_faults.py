"""How often real patients and doctors are taken for a model that left its role: the transcripts of a folder.

    python benchmarks/role_faults.py FOLDER

Each file is a conversation, a turn a line or paragraph that begins with "D:" or "P:". What is taken for a
fault is printed, to be looked at: in transcripts, a doctor's words often stand under a patient's letter.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from osler.text.in_role.faults import Part, fault_in

READ_AS: tuple[tuple[str, Part], ...] = (
    ("P", "patient"),
    ("P", "companion"),
    ("D", "clinician"),
    ("D", "other"),
)
_TURN = re.compile(r"([DP])\s*[:;.]\s*(.*)")


def turns(folder: Path, who: str) -> Iterator[tuple[str, str]]:
    """Yield the file and the words of each turn of "D" or "P"."""
    for file in sorted(folder.glob("*.txt")):
        speaker = ""
        for line in filter(None, map(str.strip, file.read_text("utf-8", "replace").splitlines())):
            found = _TURN.match(line)
            speaker, words = (found[1], found[2]) if found else (speaker, line)
            if speaker == who and words:
                yield file.name, words


def main(folder: Path) -> None:
    """Print what is found, and the rates."""
    for who, part in READ_AS:
        lines, began = list(turns(folder, who)), time.perf_counter()
        found = [(name, words, fault) for name, words in lines if (fault := fault_in(words, part))]
        each = (time.perf_counter() - began) / max(1, len(lines)) * 1e6
        print(f"{who} read as {part}: {len(found)} of {len(lines)}, {each:.0f} microseconds each")
        for name, words, fault in found:
            print(f"    {name}: {fault.what}: {words[:160]}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
