"""A data set written as a folder: rows in each form, pictures, rejected rows, manifest, card, Croissant."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import osler
from osler.core.lazy import Lazy
from osler.core.protocol import Protocol
from osler.errors import BadInput
from osler.files import sha256_of
from osler.training.build import Gathered, Plan
from osler.training.manifest import beside, described
from osler.training.samples import KINDS, Kind, as_row
from osler.training.splits import SPLITS
from osler.training.writers.card import card
from osler.training.writers.croissant import croissant
from osler.training.writers.form import Content, Format
from osler.training.writers.parquet import arrow

MANIFEST: Final = "manifest.json"
REJECTED: Final = "rejected.jsonl"
CASES: Final = "cases.jsonl"
MADE_BY: Final = "osler dataset"
_WRITERS: Final[dict[Format, Lazy[Callable[[Content], object]]]] = {
    "parquet": Lazy("osler.training.writers.parquet:write"),
    "sharegpt": Lazy("osler.training.writers.sharegpt:write"),
    "jsonl": Lazy("osler.training.writers.lines:write"),
    "openai": Lazy("osler.training.writers.openai:write"),
    "verl": Lazy("osler.training.writers.verl:write"),
}


def check_place(out: Path) -> None:
    """Raise BadInput unless a data set may be written there: nothing is, or an earlier data set."""
    if not out.exists():
        return
    if not out.is_dir():
        raise BadInput("is no folder", where=str(out), hint="name a folder with --out")
    if any(out.iterdir()) and not is_data_set(out):
        raise BadInput("the folder holds something else", where=str(out), hint="name another with --out")


def check_formats(formats: Sequence[Format], plan: Plan) -> None:
    """Raise BadInput for a form that cannot be written: its package is missing, or the plan has no rows that
    it could hold."""
    if "parquet" in formats or "verl" in formats:
        arrow()
    if "verl" in formats and "single" not in plan.kinds:
        raise BadInput("its prompts are those of single rows", where="--format verl", hint="--kind single")
    if "openai" in formats and plan.prefixes == "published" and plan.weights == "shared":
        raise BadInput(
            "turns that stand in several rows count in part, and OpenAI's form knows whole ones alone",
            where="--format openai",
            hint="--weights published, or --prefixes none",
        )


def is_data_set(folder: Path) -> bool:
    """Whether a folder holds a data set of ours."""
    try:
        value = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(value, dict) and value.get("made_by") == MADE_BY


def write(
    into: Gathered,
    protocol: Protocol,
    runs: Sequence[str],
    out: Path,
    formats: Sequence[Format],
    *,
    transcripts: Sequence[str] = (),
) -> dict[str, Any]:
    """Write a data set of these runs or transcripts by name, replacing an earlier one; the folder is there
    whole or not at all. Returns its manifest."""
    figures = into.figures
    parts: tuple[tuple[Kind, str], ...] = tuple(
        (kind, split) for kind in KINDS for split in SPLITS if figures.rows[kind, split]
    )
    partial = Path(tempfile.mkdtemp(prefix=".osler-", dir=out.resolve().parent))
    try:
        content = Content(into.spool.rows, parts, into.album, partial)
        for form in dict.fromkeys(formats):
            _WRITERS[form].load()(content)
        with (partial / REJECTED).open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in into.spool.lines())
        _write_cases(into, partial / CASES)
        files = _files(partial)
        manifest: dict[str, Any] = {
            "made_by": MADE_BY,
            "version": osler.__version__,
            "protocol": protocol.config.protocol,
            "many": protocol.many,
            "seat": into.seat.seat,
            "runs": sorted(runs),
            **({"transcripts": sorted(transcripts)} if transcripts else {}),
            **({"conditions": sorted(into.conditions)} if into.conditions else {}),
            "settings": into.plan.as_json(into.ruler),
            "formats": sorted(set(formats)),
            **described(figures),
            "beside": beside(figures, into.seat.published),
            "hash": _hash(into, parts),
        }
        parquet = "parquet" in formats
        (partial / "README.md").write_text(card(manifest, parts, parquet=parquet), "utf-8", newline="\n")
        text = croissant(manifest, files, parts, parquet=parquet)
        (partial / "croissant.json").write_text(text, encoding="utf-8", newline="\n")
        manifest["files"] = _files(partial)
        text = json.dumps(manifest, ensure_ascii=False, indent=2)
        (partial / MANIFEST).write_text(f"{text}\n", encoding="utf-8", newline="\n")
        partial.chmod(0o755)
        if out.exists():
            shutil.rmtree(out)
        partial.rename(out)
    except OSError as error:
        raise BadInput(f"cannot be written: {error.strerror or error}", where=str(out)) from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return manifest


def _write_cases(into: Gathered, path: Path) -> None:
    """Write the cases of the rows, each in its own words, with its cluster and split."""
    clusters, split_of = into.figures.clusters, into.figures.split_of
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for case_hash, case in into.spool.cases():
            if cluster := clusters.get(case_hash):
                place = {"case_hash": case_hash, "cluster": cluster, "split": split_of[case_hash]}
                file.write(json.dumps({**case, **place}, ensure_ascii=False, sort_keys=True) + "\n")


def _files(folder: Path) -> dict[str, str]:
    """SHA-256 of each file by its path."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): sha256_of(path) for path in paths}


def _hash(into: Gathered, parts: Sequence[tuple[Kind, str]]) -> str:
    """A hash of all rows, whatever form they are written in."""
    result = blake2b(digest_size=16)
    for kind, split in parts:
        for sample in into.spool.rows(kind, split):
            line = json.dumps(as_row(sample), ensure_ascii=False, sort_keys=True)
            result.update(line.encode("utf-8", "surrogatepass") + b"\n")
    return result.hexdigest()
