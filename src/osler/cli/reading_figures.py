"""The figures of understanding: how patient, desk, scenario, marks and judge read labelled lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic_core import from_json

from osler.cases.model import Case
from osler.cases.personas import persona
from osler.cases.scenarios.sources import open_scenarios
from osler.cli.reading_sets import LabelledLine, Spoken, hasty, imported, interviews, library, lines, spoken
from osler.judging.diagnosis.labelled import Pairs, agreement_with
from osler.protocols.consultation.tried_orders import answered
from osler.protocols.consultation.views import examination_view
from osler.protocols.scenario.one_line import one_line
from osler.protocols.shared.players.patient import replayed
from osler.protocols.shared.views import patient_view
from osler.reading.statements import KnownFact, told_in
from osler.stats.intervals import Estimate, wilson

TASKS: Final = (
    "patient_library",
    "patient_imported",
    "patient_speech",
    "acts",
    "safety",
    "orders_consultation",
    "orders_scenario",
    "items",
    "told",
    "diagnosis",
)
OF: Final = "scenario"
"""The key of a line's scenario."""
Figures = dict[str, Estimate]
Say = Callable[[str], str]


class Sets(NamedTuple):
    """The places of the labelled lines: the folder of labels, and, where they are not ours, the words of
    recorded interviews and the imported cases (`None`: their tasks are left out)."""

    labels: Path
    osce: Path | None = None
    imported: Path | None = None


def figures(sets: Sets, tasks: Iterable[str] = TASKS) -> dict[str, Figures]:
    """Every figure of the tasks whose lines are there, each with its 95 % interval and number of lines.

    Figures that end in `_hasty` are those of the same lines without capitals and punctuation, with digits for
    number words, a filler and a repeated word.
    """
    result: dict[str, Figures] = {}
    for task in tasks:
        plain = _MEASURED[task](sets, str)
        if plain:
            also = _MEASURED[task](sets, hasty) if task not in ("told", "diagnosis") else {}
            result[task] = {**plain, **{f"{name}_hasty": value for name, value in also.items()}}
    return result


# The patient


class Answered(NamedTuple):
    """An answer to a labelled line: its kind, and the ids of the facts that it tells."""

    label: LabelledLine
    kind: str
    told: frozenset[str]

    @property
    def right(self) -> bool:
        """Whether a right fact is told, or no fact where none is asked for."""
        match self.label.get("expect"):
            case "fact":
                return bool(self.told & self._facts)
            case "other":
                return not self.told or self.fits
        return not self.told

    @property
    def wrong(self) -> bool:
        """Whether a fact is told and none of those told is a right answer."""
        return bool(self.told) and not self.told & self._facts and not self.fits

    @property
    def fits(self) -> bool:
        """Whether the answer is of a kind that fits a line which asks for nothing."""
        return self.kind in self.label.get("kinds", ())

    @property
    def _facts(self) -> frozenset[str]:
        return frozenset(self.label.get("facts", ())) if self.label.get("expect") == "fact" else frozenset()


def _answers(said: Iterable[Spoken], say: Say) -> list[Answered]:
    views: dict[str, Any] = {}
    answers = []
    for one in said:
        if one.case.id not in views:
            views[one.case.id] = patient_view(one.case, persona=persona("plain"), unknown="standard")
        kind, reply = replayed(views[one.case.id], [say(line) for line in one.before], say(one.say))
        answers.append(Answered(one.label, kind, frozenset(reply.revealed_facts)))
    return answers


def of_patient(found: list[Answered]) -> Figures:
    """The figures of a patient's answers; none without answers."""
    if not found:
        return {}
    asked = [one for one in found if one.label.get("expect") == "fact"]
    others = [one for one in found if one.label.get("expect") == "other"]
    return {
        "facts": _share(one.right for one in asked),
        "right": _share(one.right for one in found),
        "wrong": _share(one.wrong for one in found),
        "in_kind": _share(one.fits for one in others),
    }


def said_to_patients(sets: Sets, task: str) -> list[Spoken]:
    """The lines of one of the tasks whose name begins with `patient`; none where their words are not here."""
    match task:
        case "patient_library":
            return list(spoken(_of(sets, "library.jsonl"), library()))
        case "patient_imported":
            return list(spoken(_of(sets, "imported.jsonl"), imported(sets.imported))) if sets.imported else []
    return list(interviews(sets.labels / "osce", sets.osce)) if sets.osce else []


def _to_patient(task: str) -> Callable[[Sets, Say], Figures]:
    return lambda sets, say: of_patient(_answers(said_to_patients(sets, task), say))


def _acts(sets: Sets, say: Say) -> Figures:
    others = [one for one in said_to_patients(sets, "patient_library") if one.label.get("expect") == "other"]
    return {"in_kind": _share(one.fits for one in _answers(others, say))} if others else {}


def _safety(sets: Sets, say: Say) -> Figures:
    danger = [one for one in said_to_patients(sets, "patient_library") if one.label.get("danger")]
    answers = _answers(danger, say)
    return (
        {"wrong": _share(one.wrong for one in answers), "right": _share(one.right for one in answers)}
        if answers
        else {}
    )


# Orders, acts and marks


def _orders_consultation(sets: Sets, say: Say) -> Figures:
    cases: dict[str, Case] = {**library(), **(imported(sets.imported) if sets.imported else {})}
    exact, parts, acted = list[bool](), list[bool](), list[bool]()
    for line in _of(sets, "orders.jsonl"):
        case = cases.get(line["case"])
        if case is None:
            continue
        released = _released(case, say(line["say"]))
        wanted, optional = frozenset(line.get("findings", ())), frozenset(line.get("optional", ()))
        if line.get("order", True):
            exact.append(released - optional == wanted - optional)
            parts += [item in released for item in wanted]
        else:
            acted.append(bool(released))
    if not exact:
        return {}
    return {"exact": _share(exact), "obtained": _share(parts), "acted_on_talk": _share(acted)}


def _released(case: Case, say: str) -> frozenset[str]:
    """The ids of the findings that an order brings."""
    by_name = {(finding.name, finding.result): finding.id for finding in examination_view(case).findings}
    results: Any = answered(case, say)["results"]
    return frozenset(by_name[one["found"], one["text"]] for one in results)


def _orders_scenario(sets: Sets, say: Say) -> Figures:
    scenarios = {one.case_id: one for one in open_scenarios("library")}
    exact, acted = list[bool](), list[bool]()
    for line in _records(sets.labels.parent.parent / "sealed/orders.jsonl"):
        result = one_line(scenarios[line[OF]], line["state"], say=say(line["say"]))
        if not line["order"]:
            acted.append(bool(result.acts))
            continue
        back = result.read_back is not None
        half = back or any("unclear" in act for act in result.acts)
        wanted = {"must": half, "never": not back}.get(line["read_back"], True)
        exact.append(wanted and set(result.acts) in [set(acts) for acts in line["acts"] or [[]]])
    return {"exact": _share(exact), "acted_on_talk": _share(acted)} if exact else {}


def _items(sets: Sets, say: Say) -> Figures:
    scenarios = {one.case_id: one for one in open_scenarios("library")}
    met, false = list[bool](), list[bool]()
    for line in _records(sets.labels.parent.parent / "sealed/marks.jsonl"):
        result = set(one_line(scenarios[line[OF]], line["state"], say=say(line["say"])).met)
        met += [item in result for item in line["met"]]
        if not line["met"]:
            false.append(bool(result - set(line["may"])))
    return {"met": _share(met), "false": _share(false)} if met else {}


# What answers tell, and diagnoses


def _told(sets: Sets, say: Say) -> Figures:
    cases = {**library(), **(imported(sets.imported) if sets.imported else {})}
    right, extra = list[bool](), list[bool]()
    for line in _of(sets, "told.jsonl"):
        case = cases.get(line["case"])
        if case is None:
            continue
        knowns = [KnownFact(one.id, one.text, one.spoken or "", one.absent) for one in case.facts]
        result = frozenset(told_in(line["answer"], line["question"], knowns))
        tells, partly = frozenset(line["tells"]), frozenset(line.get("partly", ()))
        right += [item in result for item in tells]
        extra.append(bool(result - tells - partly))
    return {"told": _share(right), "extra": _share(extra)} if right else {}


def _diagnosis(sets: Sets, say: Say) -> Figures:
    folder = sets.labels.parent.parent / "diagnosis_pairs"
    pairs = [
        Pairs.model_validate(from_json(line))
        for file in sorted(folder.glob("part*.jsonl"))
        for line in file.read_bytes().splitlines()
    ]
    if not pairs:
        return {}
    agreement = agreement_with(pairs)
    return {
        "agreement": agreement.on_right,
        "wrong_taken": wilson(agreement.taken, agreement.wrong),
        "right_refused": wilson(agreement.refused, agreement.rights),
    }


_MEASURED: Final[Mapping[str, Callable[[Sets, Say], Figures]]] = {
    "patient_library": _to_patient("patient_library"),
    "patient_imported": _to_patient("patient_imported"),
    "patient_speech": _to_patient("patient_speech"),
    "acts": _acts,
    "safety": _safety,
    "orders_consultation": _orders_consultation,
    "orders_scenario": _orders_scenario,
    "items": _items,
    "told": _told,
    "diagnosis": _diagnosis,
}


def _of(sets: Sets, name: str) -> list[LabelledLine]:
    file = sets.labels / name
    return lines(file) if file.exists() else []


def _records(file: Path) -> Iterator[dict[str, Any]]:
    if file.exists():
        yield from (from_json(line) for line in file.read_bytes().splitlines() if line.strip())


def _share(values: Iterable[bool]) -> Estimate:
    counts = Counter(map(bool, values))
    return wilson(counts[True], counts.total())
