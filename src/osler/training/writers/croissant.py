"""The description of a data set as Croissant.

No date is in it: the same store gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from osler.reports.croissant_terms import Column, dataset, file_object, record_set
from osler.training.writers.card import licence_of
from osler.training.writers.form import data_file, splits_in

_COLUMNS: Final = (
    Column("id", "sc:Text", "The id of the row."),
    Column("kind", "sc:Text", "A single turn, a whole conversation, or a turn that a refusal led to."),
    Column("target", "sc:Text", "The turn to learn."),
    Column("case_id", "sc:Text", "The case of the encounter."),
    Column("cluster", "sc:Text", "The cluster of nearly the same cases."),
    Column("split", "sc:Text", "The split."),
    Column("turn", "sc:Integer", "The accepted turns of the seat before this one."),
    Column("context", "sc:Text", "Facts for rewards, as JSON, which are in no prompt."),
    Column("provenance", "sc:Text", "Players, prompt, seed and licence, as JSON."),
)
_LINKS: Final = {
    "mit": "https://opensource.org/license/mit",
    "apache-2.0": "https://www.apache.org/licenses/LICENSE-2.0",
    "cc-by-4.0": "https://creativecommons.org/licenses/by/4.0/",
    "cc-by-nc-4.0": "https://creativecommons.org/licenses/by-nc/4.0/",
    "cc-by-sa-4.0": "https://creativecommons.org/licenses/by-sa/4.0/",
    "cc0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
}
_RESPONSIBLE: Final = {
    "rai:dataCollection": "Simulated encounters between language models or built-in players, replayed from"
    " their record; each prompt is proved by a hash.",
    "rai:dataBiases": "Players, personas and cases are those of a simulation and no sample of any population;"
    " see the share of turns kept by each filter in the card.",
    "rai:personalSensitiveInformation": "No real patient. Words of people only with their permission for"
    " training.",
    "rai:dataUseCases": "Training and evaluating tutors and clinicians in simulation. Not for care.",
}


def croissant(
    manifest: Mapping[str, Any], files: Mapping[str, str], parts: Sequence[tuple[str, str]], *, parquet: bool
) -> str:
    """The description; `files` are SHA-256 by path."""
    licences = manifest["sessions_by"].get("licence", {})
    licence = licence_of(licences)
    name = f"osler-{manifest['protocol'].partition('/')[0]}-{manifest['seat']}"
    result = dataset(
        name,
        f"Turns of the {manifest['seat']} in simulated {manifest['many']}, with their prompts. For education"
        " and research only.",
        license=_LINKS.get(licence, "; ".join(licences) or "not stated"),
        citeAs=f"Osler, simulated clinical encounters: {name}, rows {manifest['hash']}",
        creator={"@type": "sc:Organization", "name": "Osler"},
        **_RESPONSIBLE,
        distribution=[file_object(path, digest) for path, digest in sorted(files.items())],
    )
    if parquet:
        result["recordSet"] = [_records(split) for split in splits_in(parts)]
    return f"{json.dumps(result, ensure_ascii=False, indent=2)}\n"


def _records(split: str) -> dict[str, Any]:
    return record_set(split, data_file(split), _COLUMNS, key={"@id": f"{split}/id"})
