"""The debriefing of a person after a case: score, findings, omissions, unsafe acts and teaching points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from rich.console import Group, RenderableType
from rich.text import Text

from osler.cases.model import Case, Contraindicated
from osler.core.events import Released
from osler.core.trace import Trace
from osler.judging.scores import Judgement
from osler.protocols.consultation.judge.communication import MEANINGS, communication
from osler.protocols.consultation.judge.named_acts import Terms
from osler.protocols.consultation.story import conclusion_of
from osler.text.hostile import safe

_SHARES: Final = {
    "fact_coverage": "key facts elicited",
    "finding_coverage": "key findings obtained",
    "exam_recall": "required examinations and tests done",
    "exam_precision": "examinations and tests that were called for",
    "supporting_evidence": "key facts and findings given as evidence",
    "management_met": "decisive steps named",
    "follow_up": "follow-up: where to go and what to come back for",
}
_TALKED: Final = "How you talked (counted from your words; no part of the score)"
_LOOK_AGAIN: Final = frozenset({"leading_questions", "several_at_once", "unexplained_jargon"})
Played = Literal["doctor", "patient"]


class _Step(NamedTuple):
    """Something a case requires or forbids: what it is, the terms that name it, and why."""

    what: str
    terms: tuple[str, ...]
    why: str = ""


def asked_missed_unsafe(
    case: Case, trace: Trace, judgement: Judgement, played: Played = "doctor"
) -> RenderableType:
    """Return the debriefing for a terminal. A person who `played` the patient reads it about the doctor."""
    lines = []
    for heading, entries in debrief(case, trace, judgement).items():
        if played == "patient":
            heading = heading.replace("Your", "The doctor's").replace("You ", "The doctor ")
            heading = heading.replace(" your ", " the doctor's ")
            heading = heading.replace("gave you", "gave the doctor").replace(" you ", " the doctor ")
        lines.append(Text(heading, "bold"))
        lines.extend(Text(f"  - {entry}") for entry in entries or ["nothing"])
    return Group(*lines)


def debrief(case: Case, trace: Trace, judgement: Judgement) -> dict[str, list[str]]:
    """Return the debriefing as headings with their entries, safe to show.

    A heading is left out if the case has nothing for it.
    """
    found = {
        "Your score": _score_lines(case, trace, judgement),
        **_evidence(case, {event.item for event in trace.of(Released)}),
        **_acts(case, judgement),
        **_talk(trace),
        **_lessons(case),
    }
    return {heading: [safe(entry) for entry in entries] for heading, entries in found.items()}


def _score_lines(case: Case, trace: Trace, judgement: Judgement) -> Iterator[str]:
    """Yield the verdict with its reason, the correct answer, and the shares that were scored."""
    final, correct = conclusion_of(trace), judgement.scores["correct"]
    given = final["diagnosis"] if final else "no answer"
    verdict = "not scored" if correct.value is None else "right" if correct.value == 1 else "wrong"
    yield f"{verdict}: {given} ({correct.reason})"
    options = case.task.options or {}
    yield f"the answer: {options.get(case.task.answer, case.task.answer)}"
    for name, words in _SHARES.items():
        if (share := judgement.scores[name].value) is not None:
            yield f"{words}: {share:.0%}"


def _evidence(case: Case, released: set[str]) -> dict[str, list[str]]:
    """Return what was elicited (results by name only) and what was missed (in full)."""
    facts = [fact.text for fact in case.facts if fact.id in released]
    results = [finding.name for finding in case.findings if finding.id in released]
    found = {"You found out": facts + ([f"Results: {', '.join(results)}."] if results else [])}
    key = [(fact.id, fact.text) for fact in case.facts if fact.key]
    key += [(finding.id, f"{finding.name}: {finding.result}") for finding in case.findings if finding.key]
    if key:
        found["Key facts and findings you missed"] = [text for id, text in key if id not in released]
    if case.workup:
        names = {finding.id: finding.name for finding in case.findings} | {f.id: f.text for f in case.facts}
        shown = {id for id, _ in key}
        found["Other examinations and tests you left out"] = [
            " or ".join(names[id] for id in group)
            for group in case.workup.required
            if released.isdisjoint(group) and shown.isdisjoint(group)
        ]
    return found


def _acts(case: Case, judgement: Judgement) -> dict[str, list[str]]:
    """Return the management steps, harmful acts and safety actions that were scored, each with the doctor's
    own words."""
    plan, scores = case.management, judgement.scores
    features = plan.key_features if plan else ()
    steps = {f.id: _Step(f"{f.what} {_dose(f.dose)}".strip(), f.terms) for f in features}
    harmful = _harms(case.workup.contraindicated if case.workup else ())
    unsafe = {**harmful, **_harms(plan.contraindicated if plan else ())}
    safety = {action.id: _Step(action.what, action.terms, action.why) for action in case.safety or ()}
    found: dict[str, list[str]] = {}
    if scores["management_met"].value is not None:
        named, missed = _named(steps, scores["management_met"].evidence)
        found["Decisive steps you named"] = named
        found["Critical steps you missed"] = list(scores["critical_missed"].evidence)
        found["Other steps you missed"] = [
            steps[feature.id].what for feature in features if feature.id in missed and not feature.critical
        ]
    for heading, name, of in (
        ("Unsafe acts you named", "unsafe_acts", unsafe),
        ("Tests that would harm", "contraindicated_tests", harmful),
        ("Evidence that no one gave you", "unsupported_evidence", {}),
    ):
        if scores[name].value is not None:
            found[heading] = _named(of, scores[name].evidence)[0]
    if scores["safety_done"].value is not None:
        named, missed = _named(safety, scores["safety_done"].evidence)
        found["Safety steps you took"] = named
        found["Safety steps you missed"] = [f"{safety[id].what} {safety[id].why}" for id in missed]
    if scores["repeated_questions"].value is not None:
        found["Questions asked again"] = list(dict.fromkeys(scores["repeated_questions"].evidence))
    return found


def _talk(trace: Trace) -> dict[str, list[str]]:
    """Return the communication figures that apply, quoting the words that are worth another look."""
    lines = []
    for name, found in communication(trace).items():
        what, of_encounters, _ = MEANINGS[name].partition(", of encounters")
        if of_encounters and found.of:
            lines.append(f"{what}: {'yes' if found.met else 'no'}")
        elif found.of:
            again = f': "{found.quotes[0]}"' if name in _LOOK_AGAIN and found.quotes else ""
            lines.append(f"{what}: {found.met} of {found.of}{again}")
    return {_TALKED: lines} if lines else {}


def _dose(dose: str | None) -> str:
    return f"({dose})" if dose else ""


def _harms(entries: Sequence[Contraindicated]) -> dict[str, _Step]:
    return {entry.name: _Step(entry.name, (entry.name, *entry.terms), entry.why) for entry in entries}


def _named(steps: Mapping[str, _Step], quotes: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the steps that `quotes` name, each with its quote and reason, and the ids of the others.

    Quotes that match no step by its terms (a grader may find them by other means) are returned as they are.
    """
    met = Terms({id: step.terms for id, step in steps.items()}).named(quotes)
    lines = [f'{step.what} - "{met[id]}". {step.why}'.strip() for id, step in steps.items() if id in met]
    others = [quote for quote in dict.fromkeys(quotes) if quote not in met.values()]
    return lines + others, [id for id in steps if id not in met]


def _lessons(case: Case) -> dict[str, list[str]]:
    """Return the teaching points: the differential, the objectives and the guideline."""
    found = {}
    if case.diagnosis and case.diagnosis.alternatives:
        found["Why not another diagnosis"] = [
            f"{other.name}: {other.why_less_likely}" for other in case.diagnosis.alternatives
        ]
    if case.teaching:
        found["What the case teaches"] = list(case.teaching.objectives)
    if case.management:
        found["By the guideline"] = [f"{case.management.guideline} ({case.management.year})"]
    return found
