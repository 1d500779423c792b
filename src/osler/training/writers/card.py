"""The data card: README.md with YAML front matter, as hubs of data sets read it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from osler.text.hostile import safe
from osler.training.writers.form import data_file, splits_in

_LICENCES: Final = {
    "mit": "mit",
    "mit license": "mit",
    "apache-2.0": "apache-2.0",
    "cc by 4.0": "cc-by-4.0",
    "cc-by-4.0": "cc-by-4.0",
    "cc by-nc 4.0": "cc-by-nc-4.0",
    "cc-by-nc-4.0": "cc-by-nc-4.0",
    "cc by-sa 4.0": "cc-by-sa-4.0",
    "cc-by-sa-4.0": "cc-by-sa-4.0",
    "cc0": "cc0-1.0",
    "cc0-1.0": "cc0-1.0",
}
_MARKUP: Final = re.compile(r"[\\|\[\]]")
_SIZES: Final = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def licence_of(licences: Mapping[str, int]) -> str:
    """The one licence of all cases by its id on hubs, else "other"."""
    result = {_LICENCES.get(name.casefold(), "other") for name in licences}
    return next(iter(result)) if len(result) == 1 else "other"


def card(manifest: Mapping[str, Any], parts: Sequence[tuple[str, str]], *, parquet: bool) -> str:
    """The card of a data set by its manifest."""
    return f"---\n{_front(manifest, parts, parquet)}---\n\n{_body(manifest)}"


def _front(manifest: Mapping[str, Any], parts: Sequence[tuple[str, str]], parquet: bool) -> str:
    licences = manifest["sessions_by"].get("licence", {})
    licence = licence_of(licences)
    total = sum(manifest["samples"].values())
    size = next((name for most, name in _SIZES if total < most), "n>1M")
    lines = [f"license: {licence}"]
    if licence == "other":
        lines += [f"license_name: {_quoted('; '.join(licences) or 'not stated')}"]
    lines += ["language: [en]", "task_categories: [text-generation]", f"size_categories: [{_quoted(size)}]"]
    lines += [
        f"pretty_name: {_quoted(_title(manifest))}",
        _tags(manifest),
    ]
    if parquet and parts:
        lines += ["configs:", "- config_name: default", "  data_files:"]
        for split in splits_in(parts):
            lines += [f"  - split: {split}", f"    path: {data_file(split)}"]
    return "\n".join(lines) + "\n"


def _tags(manifest: Mapping[str, Any]) -> str:
    made = "" if "transcripts" in manifest else "synthetic, "
    return f"tags: [medical, education, {made}osler]"


def _quoted(text: str) -> str:
    return json.dumps(safe(text), ensure_ascii=False)


def _title(manifest: Mapping[str, Any]) -> str:
    return f"Osler: turns of the {manifest['seat']} of {manifest['many']}"


def _body(manifest: Mapping[str, Any]) -> str:
    by = manifest["sessions_by"]
    parts = [
        f"# {_title(manifest)}\n",
        _whose(manifest),
        _table(
            ("", *manifest["samples"]),
            [(split, *map(str, rows.values())) for split, rows in manifest["splits"].items()],
        ),
        f"{manifest['sessions']} sessions with {manifest['turns']} distinct turns, on"
        f" {manifest['cases']} cases in {manifest['clusters']} clusters. A cluster of nearly the"
        " same cases is in one split.\n",
        "## Rows\n",
        "- `messages` is a conversation with a system message first; `target_spans` are the indices of the"
        " messages that carry loss, each with one of `weights`.\n"
        "- `kind` is `single` for one turn: `target`, the last message; all before it is"
        f" {_prompt(manifest)}. It is `multi` for a whole conversation with all its turns.\n"
        f"{_refusals(manifest)}"
        "- `context` (JSON) holds facts for rewards: case, answer, steps. It is in no prompt.\n",
        _published(manifest),
        "## Left out\n",
        _table(
            ("filter", "turns, revisions or sessions"),
            [(k, str(n)) for k, n in manifest["rejected"].items()] or [("none", "0")],
        ),
        "All of it is in `rejected.jsonl`, with the reason.\n",
        "## Share of turns kept\n",
        *(_kept(name, shares) for name, shares in manifest["kept_share"].items()),
        "## Where it comes from\n",
        _table(
            ("", "sessions"),
            [(f"{name}: {value}", str(n)) for name in _FROM for value, n in by.get(name, {}).items()],
        ),
        "Seed, players and prompt of each row stand in its `provenance`.\n",
        f"Hash of the rows: `{manifest['hash']}`.\n",
    ]
    return "\n".join(part for part in parts if part)


def _refusals(manifest: Mapping[str, Any]) -> str:
    """The line on revisions, if there may be any, and who refused what how often."""
    if "refusals" not in manifest:
        return ""
    counts = ", ".join(f"{safe(name)} {count}" for name, count in manifest["refusals"].items()) or "none"
    return (
        "- `kind` is `revision` for a turn that refusals led to: its messages end with the refused drafts and"
        " the reviewers' reasons, which `refused_drafts` (JSON) has again; `target` is what passed."
        f" Refusals: {counts}.\n"
    )


def _prompt(manifest: Mapping[str, Any]) -> str:
    """Describe the prompt of a row."""
    if "transcripts" in manifest:
        return "who speaks, and what was said before"
    return "to the letter what the seat is given when it plays"


def _whose(manifest: Mapping[str, Any]) -> str:
    """The sentence on whose words these are."""
    if files := manifest.get("transcripts"):
        return (
            f"From {len(files)} transcripts of interviews that were held elsewhere, for education and"
            " research only, under the licence below, which whoever made this data set stated. Prompts are"
            " not those of Osler's seats.\n"
        )
    return (
        "Simulated encounters with simulated patients, for education and research only. No real patient, and"
        " nobody's words without their permission for training.\n"
    )


_FROM: Final = ("licence", "origin", "player", "prompt", "order", "expert_heard_by", "students", "persona")


def _published(manifest: Mapping[str, Any]) -> str:
    beside = manifest["beside"]
    if not any(row["published"] for row in beside["rows"].values()):
        return ""
    rows = [(f"{kind} rows", str(row["ours"]), str(row["published"])) for kind, row in beside["rows"].items()]
    ratio = beside["single_to_multi"]
    rows.append(("single to multi", str(ratio["ours"]), str(ratio["published"])))
    return f"## Beside the published data set\n\n{_table(('', 'here', 'published'), rows)}"


def _kept(name: str, shares: Mapping[str, float]) -> str:
    return _table(
        (name.replace("_", " "), "kept"), [(value, f"{share:.0%}") for value, share in shares.items()]
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(map(_cell, row)) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """A text of a case as a cell: no markup of it is rendered."""
    return _MARKUP.sub(r"\\\g<0>", safe(text)).replace("<", "&lt;").replace("\n", " ")
