"""`osler cases generate`: write synthetic cases to a file, one per line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Final, Literal

import typer
from rich.text import Text

from osler.cases.generator.source import MOST, NAME, generated
from osler.cases.importers.osler_yaml import case_line
from osler.cli.options import AsJson
from osler.cli.output import command, result, say
from osler.errors import BadInput
from osler.files import whole_file
from osler.text.hostile import safe

MOST_SEED: Final = 10**15 - 1
LINE_FILES: Final = (".jsonl", ".ndjson")
Knowledge = Literal["standard", "misspecified"]


@command
def generate(
    n: Annotated[int, typer.Option("--n", min=1, max=MOST, help="Number of cases.")],
    out: Annotated[Path, typer.Option(help="The .jsonl file to write; read it with `osler consult FILE`.")],
    seed: Annotated[int, typer.Option(min=0, max=MOST_SEED, help="Same seed, same cases.")] = 0,
    knowledge: Annotated[
        Knowledge, typer.Option(help="The knowledge base to sample from; misspecified is wrong on purpose.")
    ] = "standard",
    as_json: AsJson = False,
) -> None:
    """Generate synthetic cases from the packaged knowledge. An identical file is left as it is."""
    if out.suffix.lower() not in LINE_FILES:
        raise BadInput(
            "cases are written as JSON lines", where=str(out), mend="name a .jsonl file with --out"
        )
    say("Synthetic cases from approximate knowledge; no patients. For education and research only.")
    source = generated(f"{NAME}:{n}:{seed}" + (":misspecified" if knowledge == "misspecified" else ""))
    new = write_lines((case_line(case).encode() for case in source), out)
    value = {"written": n if new else 0, "kept": 0 if new else n, "cases": source.label, "file": str(out)}
    told = f"wrote {n} cases to {out}" if new else f"{out} already holds these {n} cases"
    result(as_json, value, Text(safe(told)))


def write_lines(lines: Iterable[bytes], path: Path) -> bool:
    """Write lines to a file atomically, in constant memory; return False if it already holds exactly these.

    Raises BadInput if it holds anything else, is a folder, or cannot be written.
    """
    if path.is_dir():
        raise BadInput("is a folder, not a file", where=str(path), mend="name a file with --out")
    if path.exists():
        if not _holds(path, lines):
            raise BadInput(
                "a different file is already there", where=str(path), mend="move it or name another"
            )
        return False
    with whole_file(path) as partial:
        partial.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as file:
            file.writelines(lines)
    return True


def _holds(path: Path, lines: Iterable[bytes]) -> bool:
    with path.open("rb") as file:
        return all(file.read(len(line)) == line for line in lines) and not file.read(1)
