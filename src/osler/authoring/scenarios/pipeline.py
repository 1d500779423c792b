"""The pipeline from a folder of source material to scenarios, step by step; unchanged steps are not repeated.

inventory, text -> triage -> material of four roles -> rubric items -> audit -> release
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from osler.authoring.scenarios import items as rubric_items
from osler.authoring.scenarios import triage as triaging
from osler.authoring.scenarios.asking import Askers
from osler.authoring.scenarios.build import BuildResult, Workshop, make
from osler.authoring.scenarios.checklists import rows
from osler.authoring.scenarios.inventory import DRAFTS, inventory
from osler.authoring.scenarios.layout import ByRole, sorted_by_role
from osler.authoring.scenarios.releasing import (
    Places,
    applicable,
    not_applicable,
    release,
    release_triage,
    released,
    withdraw,
)
from osler.authoring.scenarios.sources import Source, fingerprint, read_source
from osler.authoring.scenarios.steps import RULES, Steps, digest
from osler.authoring.scenarios.triage import Triage
from osler.cases.scenarios.triage import triage_names
from osler.errors import BadInput

WORK: Final = "work"
_STATE: Final = "state"
NO_ROLE: Final = "lies in no role folder, so nobody gets it"


class PipelineRequest(NamedTuple):
    """The request: the source's folder, the working folder, and the case's id."""

    folder: Path
    out: Path
    case_id: str

    @property
    def steps(self) -> Steps:
        """The results stored so far."""
        return Steps(self.out / WORK)


async def author(request: PipelineRequest, askers: Askers) -> dict[str, Any]:
    """Run every step that can run now, and return the state as plain JSON values.

    Raises BadInput for a source that cannot be used, InfrastructureFault where an endpoint cannot be.
    """
    _check(request)
    steps = request.steps
    source = read_source(request.folder, request.out / WORK, steps)
    by_role = sorted_by_role([name for name, _ in source.texts])
    state = _state(request, source, by_role)
    triage = await _triage(request, source, list(by_role), askers)
    if triage is None:
        plain = sum(1 for _, text in source.texts for _ in rows(text))
        state["steps"] += [
            ["triage", "waits", "for a model: --model NAME"],
            ["material, audit", "wait", "for triage, or for files sorted into the four role folders"],
            [
                "rubric",
                "waits",
                f"for the evaluator's material; {plain} rows of the source are plainly items",
            ],
        ]
        return _kept(steps, request, state)
    state["simulatable"] = triage.plays
    state["steps"].append(["triage", "done", f"{len(triage.scenarios)} scenarios, {triage.case_shape}"])
    if not triage.plays:
        return _nothing(request, steps, state, triage)
    applicable(request.out)
    workshop = Workshop(request.out, request.case_id, steps, source, by_role, askers)
    names = list(by_role) or [f"scenario{n}" for n in range(1, len(triage.scenarios) + 1)]
    pairs = list(zip(names, triage.scenarios, strict=True))
    made = await asyncio.gather(*(make(workshop, name, scenario) for name, scenario in pairs))
    state["scenarios"] = [_released(request, one) for one in made]
    for name in released(request.out, request.case_id):
        if name not in names:
            withdraw(Places(request.out, request.case_id, name), _side_before(request, name))
    release_triage(request.out, request.case_id, triaging.published(triage, names))
    return _kept(steps, request, state)


def texts_of(request: PipelineRequest) -> tuple[tuple[str, str], ...]:
    """The texts of the source by file name, as they were converted. Raises BadInput as `author` does."""
    return read_source(request.folder, request.out / WORK, request.steps).texts


def in_role_folders(folder: Path) -> bool:
    """Whether the source's files are sorted into role folders. Raises BadInput where there are none."""
    return bool(sorted_by_role([file.attachment.name for file in inventory(folder)]))


def shown(request: PipelineRequest) -> dict[str, Any]:
    """The state as the last run left it. Raises BadInput where there was none."""
    held = request.steps.last(_STATE)
    if held is None:
        raise BadInput("nothing has been done there yet", where=str(request.out), hint="run without --show")
    state: dict[str, Any] = held["result"]
    if state["source"] != fingerprint(inventory(request.folder)):
        state["steps"].append(["inventory", "waits", "the folder has changed since: run again"])
    return state


def _check(request: PipelineRequest) -> None:
    folder, out = request.folder.resolve(), request.out.resolve()
    if request.out.exists() and not request.out.is_dir():
        raise BadInput("is a file, not a folder", where=str(request.out), hint="name a folder with --out")
    inside = out.is_relative_to(folder) and out != folder / DRAFTS
    if inside or folder.is_relative_to(out):
        raise BadInput(
            "the source folder and the working folder overlap",
            where=str(request.out),
            hint="name another folder with --out",
        )
    held = request.steps.last(_STATE)
    if held is not None and held["result"]["case_id"] != request.case_id:
        raise BadInput(
            f"holds the case {held['result']['case_id']}, not {request.case_id}",
            where=str(request.out),
            hint="name another folder with --out, or give that --case-id",
        )


def _state(request: PipelineRequest, source: Source, by_role: ByRole) -> dict[str, Any]:
    unread = [(one.name, one.reason) for one in source.attachments if not one.read]
    used = {place for roles in by_role.values() for places in roles.values() for place in places}
    about = triage_names(request.folder)
    unread += [
        (name, NO_ROLE)
        for n, (name, _) in enumerate(source.texts)
        if by_role and n not in used and name not in about
    ]
    texts = f"{len(source.texts)} texts, {source.converted} converted now"
    return {
        "case_id": request.case_id,
        "source": source.mark,
        "simulatable": None,
        "by_modality": source.by_modality,
        "unread": [{"file": name, "reason": reason} for name, reason in unread],
        "steps": [["inventory", "done", f"{len(source.attachments)} files"], ["text", "done", texts]],
        "scenarios": [],
    }


async def _triage(
    request: PipelineRequest, source: Source, by_role: Sequence[str], askers: Askers
) -> Triage | None:
    """The triage, stored or new; `None` where it waits for a model."""
    steps = request.steps
    if by_role:
        triage = triaging.sorted_triage(request.folder, by_role)
        steps.keep("triage", digest(source.hash), RULES, triage.model_dump(mode="json"))
        return triage
    question = triaging.question_of(source.texts)
    asker = askers.get("triage")
    held = steps.kept("triage", question.digest, asker.by if asker else None)
    if held is not None:
        return Triage.model_validate(held)
    if asker is None:
        return None
    triage = await triaging.triaged(asker, source.texts)
    steps.keep("triage", question.digest, asker.by, triage.model_dump(mode="json"))
    return triage


def _nothing(request: PipelineRequest, steps: Steps, state: dict[str, Any], triage: Triage) -> dict[str, Any]:
    """Record that a source cannot be played, with the reason, and produce nothing else."""
    record = {
        "case_id": request.case_id,
        "simulatable": triage.simulatable,
        "simulatable_reason": triage.simulatable_reason,
        "case_shape": triage.case_shape,
        "scenarios": len(triage.scenarios),
    }
    for name in released(request.out, request.case_id):
        withdraw(Places(request.out, request.case_id, name), _side_before(request, name))
    release_triage(request.out, request.case_id, "")
    not_applicable(request.out, record)
    state["reason"] = triage.simulatable_reason
    return _kept(steps, request, state)


def _released(request: PipelineRequest, made: BuildResult) -> dict[str, Any]:
    """Release a scenario, or hold it back, and return its outcome."""
    places = Places(request.out, request.case_id, made.name)
    told: tuple[str, ...] = ()
    title = made.scenario.scenario_title or made.name
    before = _side_before(request, made.name)
    rubric = rubric_items.rubric_of(made.items, request.case_id, made.name)
    side = rubric_items.side_of_items(rubric, made.items)
    if made.ready:
        told = release(places, made.material, rubric, side, before)
    else:
        withdraw(places, before)
    return {
        "scenario": made.name,
        "title": title,
        "steps": made.states,
        "items": len(made.items),
        "items_by_competency": made.by_competency,
        "parts": [item["text"] for item in made.items if item["part"]],
        "refused": made.refused,
        "left_out": made.left_out,
        "findings": made.findings,
        "blocking": [one["id"] for one in made.blocking],
        "released": made.ready,
        "side": digest(side) if made.ready else before,
        "remarks": list(told),
    }


def _side_before(request: PipelineRequest, name: str) -> str:
    """The mark of the side file that the last run wrote for a scenario."""
    held = request.steps.last(_STATE)
    scenarios = held["result"]["scenarios"] if held else []
    return next((one.get("side", "") for one in scenarios if one["scenario"] == name), "")


def _kept(steps: Steps, wanted: PipelineRequest, state: Mapping[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = steps.keep(_STATE, state["source"], RULES, dict(state))
    return kept
