"""Studies whose runs are in the store: their conditions, and how far each has been played."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from osler.text.hostile import safe
from osler.web.evaluate.result_schemas import Cell, StudyHere
from osler.web.evaluate.run_words import told_cases
from osler.web.house import TheHouse
from osler.web.rights import needs
from osler.web.watch.seeing import Looking

router = APIRouter()


@router.get("/studies", dependencies=[needs("watch")])
def studies_here(house: TheHouse, looking: Looking) -> list[StudyHere]:
    """The studies of the store by name, the latest first, each condition in the order it was begun."""
    cells: dict[str, list[Cell]] = {}
    for seen in looking.among(house.store.runs()):
        run = seen.run
        study: Any = run.manifest.get("study")
        if not isinstance(study, dict) or seen.whole is not None:
            continue
        cases = str((run.manifest.get("configuration") or {}).get("cases", ""))
        cell = Cell(
            condition=safe(str(study.get("condition", ""))),
            cases=told_cases(looking.asking, cases),
            run=run.name,
            status=run.status,
            done=run.done,
            planned=run.planned,
        )
        cells.setdefault(safe(str(study.get("name", ""))), []).append(cell)
    return [StudyHere(name=name, cells=list(reversed(each))) for name, each in cells.items()]
