"""Building one scenario: the material of its roles, the items of its rubric, and its audit."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from osler.authoring.scenarios import audit, items, packets
from osler.authoring.scenarios.asking import Askers, rules_of
from osler.authoring.scenarios.audit_finding import Finding, in_order
from osler.authoring.scenarios.layout import ROLES, ByRole, Material, Role, material_in
from osler.authoring.scenarios.leaks import hidden_names
from osler.authoring.scenarios.sources import Source
from osler.authoring.scenarios.steps import RULES, Steps, digest
from osler.authoring.scenarios.triage import Scenario
from osler.cases.rubrics.model import COMPETENCIES

DRAFTS = "drafts"
State = list[str]
"""A step, its state (done, waits, blocks) and a comment."""


class Workshop(NamedTuple):
    """The context shared by all scenarios of a case.

    `by_role` maps each role to its files in a source that is already sorted.
    """

    out: Path
    case_id: str
    steps: Steps
    source: Source
    by_role: ByRole
    askers: Askers

    def drafts(self, scenario: str) -> Path:
        """The folder of drafts, whose files people may correct."""
        return self.out / DRAFTS / self.case_id / scenario


class BuildResult(NamedTuple):
    """The outcome for a scenario. `ready` is whether it may be released."""

    name: str
    scenario: Scenario
    material: Material
    items: list[Mapping[str, Any]]
    refused: list[Mapping[str, Any]]
    left_out: list[str]
    findings: list[Mapping[str, Any]]
    blocking: list[Mapping[str, Any]]
    states: list[State]
    ready: bool

    @property
    def by_competency(self) -> dict[str, int]:
        """The number of items of each competency."""
        counts = Counter(item["competency"] for item in self.items)
        return {name: counts[name] for name in COMPETENCIES}


async def make(shop: Workshop, name: str, scenario: Scenario) -> BuildResult:
    """Run every step of a scenario that can run now. Raises as `pipeline.author` does."""
    waiting = await asyncio.gather(*(_role(shop, name, scenario, role) for role in ROLES))
    missing = [role for role, waits in zip(ROLES, waiting, strict=True) if waits]
    if missing:
        states = [["material", "waits", f"for a model: {', '.join(missing)}"]]
        empty: Material = {role: {} for role in ROLES}
        return BuildResult(name, scenario, empty, [], [], [], [], [], states, False)
    material = material_in(shop.drafts(name))
    states = [["material", "done", f"{sum(len(files) for files in material.values())} files"]]
    result, by = await _items(shop, name, material)
    kept, refused = result["items"], result["refused"]
    states.append(["rubric", "done", f"{len(kept)} items by {by}, {len(refused)} refused"])
    findings, reading = await _audit(shop, name, scenario, material, [item["text"] for item in kept])
    waived = audit.accepted(shop.out / audit.ACCEPTED)
    told = [one.model_dump(mode="json") for one in findings]
    blocking = audit.blocking(told, waived)
    text = f"{len(told)} findings, {len(blocking)} of them hold it back"
    states += [["audit", "blocks" if blocking else "done", text], reading]
    shop.steps.keep(f"{name}/audit", digest(told, waived), RULES, {"findings": told, "accepted": waived})
    return BuildResult(
        name,
        scenario,
        material,
        kept,
        refused,
        result["left_out"],
        [{**one, "accepted": waived.get(one["id"], "")} for one in told],
        blocking,
        states,
        not blocking,
    )


async def _role(shop: Workshop, name: str, scenario: Scenario, role: Role) -> bool:
    """Ensure that a role's files are in the drafts; return whether they wait for a model."""
    step, folder = f"{name}/{role}", shop.drafts(name) / role
    texts = shop.source.texts
    if shop.by_role:
        files = packets.named(texts[place] for place in shop.by_role[name].get(role, ()))
        inputs, by = digest(files), RULES
        held = shop.steps.kept(step, inputs, by)
    else:
        question = packets.question_of(role, scenario, _chosen(scenario, texts))
        asker = shop.askers.get("packets")
        inputs, by = question.digest, asker.by if asker else ""
        held = shop.steps.kept(step, inputs, by or None)
        if held is None and asker is None:
            return True
        files = [packets.File(**file) for file in held["files"]] if held else []
    if held is not None:
        packets.put_missing(folder, [packets.File(**file) for file in held["files"]])
        return False
    last = shop.steps.last(step)
    packets.check_unedited(folder, last["result"] if last else None)
    if not shop.by_role and (asker := shop.askers.get("packets")):
        files = await packets.written(asker, role, scenario, _chosen(scenario, texts))
    packets.put(folder, files)
    shop.steps.keep(step, inputs, by, {"files": [file._asdict() for file in files]})
    return False


def _chosen(scenario: Scenario, texts: packets.Texts) -> packets.Texts:
    """The files that triage gave to a scenario, or all of them where it gave none."""
    chosen = [texts[number - 1] for number in dict.fromkeys(scenario.files) if 1 <= number <= len(texts)]
    return chosen or texts


async def _items(shop: Workshop, name: str, material: Material) -> tuple[dict[str, Any], str]:
    """The rubric's items as plain JSON values, and their extractor (the rules or a model)."""
    evaluator, asker = material["evaluator"], shop.askers.get("rubric")
    inputs = digest(evaluator, rules_of("rubric").hash)
    step = f"{name}/items"
    held = shop.steps.kept(step, inputs, asker.by if asker else None)
    last = shop.steps.last(step)
    if held is None or (asker is None and last is not None and last["by"] == RULES):  # rules cost nothing
        use_model = asker is not None and any(text.strip() for text in evaluator.values())
        rules = await items.by_model(asker, evaluator) if asker and use_model else items.by_rules(evaluator)
        result = {
            "items": [item._asdict() for item in rules.items],
            "refused": [one._asdict() for one in rules.refused],
            "left_out": list(rules.left_out),
        }
        held = shop.steps.keep(step, inputs, asker.by if asker else RULES, result)
    last = shop.steps.last(step)
    return held, last["by"].partition(" ")[0] if last else RULES


async def _audit(
    shop: Workshop, name: str, scenario: Scenario, material: Material, rubric: list[str]
) -> tuple[tuple[Finding, ...], State]:
    """The findings of the rules and of a model's reading, and the state of that reading."""
    source = None if shop.by_role else [text for _, text in shop.source.texts]
    by_rules = audit.by_rules(
        material, declared=scenario.hidden, items=rubric, ids=[shop.case_id], source=source
    )
    question = audit.question_of(material, hidden_names(scenario.hidden, material), by_rules)
    asker, step = shop.askers.get("audit"), f"{name}/reading"
    held = shop.steps.kept(step, question.digest, asker.by if asker else None)
    if held is None:
        if asker is None:
            return by_rules, ["reading", "waits", "for a model that reads the four roles side by side"]
        read = await audit.by_model(asker, question, material)
        held = shop.steps.keep(
            step,
            question.digest,
            asker.by,
            {"findings": [one.model_dump(mode="json") for one in read.findings], "dropped": read.dropped},
        )
    result = [Finding.model_validate(one) for one in held["findings"]]
    said = f"{len(result)} findings of a model, {held['dropped']} dropped because their quotes stand nowhere"
    return in_order([*by_rules, *result]), ["reading", "done", said]
