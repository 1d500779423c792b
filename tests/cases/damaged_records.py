"""Damaged records for every importer: missing values, other languages, keys gone or of another type.

`python -m tests.cases.damaged_records 20000` tries as many of each format and prints what it saw.
"""

from __future__ import annotations

import copy
import csv
import io
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from osler.cases.importers import Rejected, agentclinic, craftmd, ddxplus, mediq, medtutor, mvme, nejm
from osler.cases.importers.json_paths import leaves_of, words_of
from osler.cases.importers.reading import read_records
from osler.cases.model import Case
from osler.text.records.missing import is_missing
from tests.cases.importing import FIXTURES, holder_of, squeezed, told

MISSING: Final = (
    None,
    "",
    "nan",
    "NaN",
    "NULL",
    "null",
    "N/A",
    "n/a",
    "-",
    "--",
    float("nan"),
    float("inf"),
    "<NA>",
)
FOREIGN: Final = (
    "Refiere visión doble desde hace un mes, peor por la tarde y sin dolor.",
    "Il a de la fièvre et une toux depuis trois jours, sans antécédents.",
    "Die Patientin klagt über Kopfschmerzen seit zwei Tagen und kein Fieber.",
    "Болит голова и поднялась температура.", "يعاني من ألم في الصدر منذ ساعتين", "患者发热三天，伴咳嗽。",
)  # fmt: skip
JUNK: Final[tuple[object, ...]] = (
    [],
    {},
    0,
    -1,
    True,
    1e300,
    [["a"]],
    {"a": {"b": "c"}},
    "None",
    "unknown",
    "\u0000\ud800x",
    "病",
    "?" * 300,
)
KEYS: Final = ("nan", "NULL", "", " ", "a.b[0]", "Diagnosis", "Findings", "\u2028", "None")
JSON_FORMATS: Final[dict[str, tuple[Any, str]]] = {
    "agentclinic": (agentclinic, "agentclinic_small.jsonl"),
    "agentclinic-nejm": (nejm, "nejm_small.jsonl"),
    "mediq": (mediq, "mediq_small.jsonl"),
    "medtutor": (medtutor, "medtutor_small.json"),
    "mvme": (mvme, "mvme_small.json"),
}
TABLES: Final[dict[str, tuple[Any, str]]] = {
    "craftmd": (craftmd, "craftmd_small.csv"),
    "ddxplus": (ddxplus, "ddxplus_small/release_patients.csv"),
}
FORMATS: Final = (*JSON_FORMATS, *TABLES)


def tried(name: str, count: int, seed: int, folder: Path) -> Counter[str]:
    """Import `count` damaged records of a format; raises AssertionError with the record where one is lost."""
    importer, source = {**JSON_FORMATS, **TABLES}[name]
    dice = random.Random(f"{name} {seed}")
    made = list(_records(name, FIXTURES / source, count, dice))
    path = _written(name, made, folder, FIXTURES / source)
    counts: Counter[str] = Counter()
    items = list(importer.read(path, "case"))
    assert len(items) == len(made), f"{len(items)} of {len(made)} records were read or rejected"
    for record, item in zip(made, items, strict=True):
        if isinstance(item, Rejected):
            assert item.reason
            counts["rejected"] += 1
            continue
        counts["imported"] += 1
        counts[f"language {item.language or 'en'}"] += 1
        assert (fault := fault_of(item, record)) == "", f"{fault}\n{record!r}"
    return counts


def fault_of(case: Case, record: dict[str, Any]) -> str:
    """What is wrong with a case as an account of its record; empty if nothing is."""
    for place, text in _said(case):
        if not text.strip() or (is_missing(text) and place != "finding"):
            return f"{place} tells a missing value: {text!r}"
    if is_missing(case.task.answer, named=case.task.kind == "choice"):
        return f"the answer is {case.task.answer!r}"
    everything = told(case)
    for leaf in leaves_of(record):
        held = holder_of(case, leaf.path) is not None
        below = any(path.startswith(f"{leaf.path}[") for path, _ in case.leaves())
        text = squeezed(words_of(leaf.value)) if not isinstance(leaf.value, bool) else ""
        if not (held or below or text in everything):
            return f"{leaf.path} is told nowhere: {leaf.value!r}"
    return ""


def _said(case: Case) -> Iterator[tuple[str, str]]:
    yield "opening", case.opening.words
    yield "door note", case.opening.door_note
    yield from (("fact", fact.text) for fact in case.facts)
    for finding in case.findings:
        yield from (("finding", finding.result), ("finding's name", finding.name))


def _records(name: str, source: Path, count: int, dice: random.Random) -> Iterator[dict[str, Any]]:
    importer = {**JSON_FORMATS, **TABLES}[name][0]
    refused = {item.record for item in importer.read(source, "case") if isinstance(item, Rejected)}
    if name in TABLES:
        rows = enumerate(csv.DictReader(io.StringIO(source.read_text(encoding="utf-8"))), start=1)
        good: list[dict[str, Any]] = [
            row for number, row in rows if number not in refused and None not in row
        ]
    else:
        read = (item for item in read_records(source) if not isinstance(item, Rejected))
        good = [record.value for record in read if record.number not in refused]
    for _ in range(count):
        hurt = _hurt(dice.choice(good), dice, flat=name in TABLES)
        yield {key: str(value) for key, value in hurt.items()} if name in TABLES else hurt


def _hurt(record: dict[str, Any], dice: random.Random, *, flat: bool) -> dict[str, Any]:
    found = copy.deepcopy(record)
    for _ in range(dice.randint(1, 5)):
        places = list(_places(found))
        if not places:
            break
        holder, key = dice.choice(places)
        how = dice.choice(_WAYS[:3] if flat else _WAYS)
        how(holder, key, dice)
    return found


def _miss(holder: Any, key: Any, dice: random.Random) -> None:
    value = dice.choice(MISSING)
    holder[key] = "" if value is None else value


def _translate(holder: Any, key: Any, dice: random.Random) -> None:
    holder[key] = dice.choice(FOREIGN)


def _spoil(holder: Any, key: Any, dice: random.Random) -> None:
    holder[key] = copy.deepcopy(dice.choice(JUNK))


def _drop(holder: Any, key: Any, dice: random.Random) -> None:
    del holder[key]


def _rename(holder: Any, key: Any, dice: random.Random) -> None:
    if isinstance(holder, dict):
        holder[dice.choice(KEYS)] = holder.pop(key)


def _wrap(holder: Any, key: Any, dice: random.Random) -> None:
    holder[key] = [holder[key]] * dice.randint(1, 2)


_WAYS: Final[tuple[Callable[[Any, Any, random.Random], None], ...]] = (
    _miss, _translate, _spoil, _drop, _rename, _wrap,
)  # fmt: skip


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


def _written(name: str, records: list[dict[str, Any]], folder: Path, source: Path) -> Path:
    if name not in TABLES:
        path = folder / f"{name}.jsonl"
        path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
        return path
    path = folder / source.name
    for beside in source.parent.glob("release_*.json") if name == "ddxplus" else ():
        (folder / beside.name).write_bytes(beside.read_bytes())
    text = io.StringIO()
    writer = csv.DictWriter(text, list(records[0]))
    writer.writeheader()
    writer.writerows(records)
    path.write_text(text.getvalue().encode("utf-8", "replace").decode(), encoding="utf-8")
    return path


def main(count: int) -> None:
    """Try `count` damaged records of each format."""
    with tempfile.TemporaryDirectory() as folder:
        for name in FORMATS:
            print(name, dict(tried(name, count, 1, Path(folder))))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
