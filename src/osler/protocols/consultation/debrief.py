"""The debriefing of a person after a case: short, and in full, with unsafe acts and teaching points."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Literal

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler.cases.model import Case
from osler.core.trace import Trace
from osler.judging.contests import Contest, contest_lines
from osler.protocols.consultation.debrief_short import Brief, brief
from osler.protocols.consultation.judge.built_in import gold_standard
from osler.protocols.consultation.judge.communication import (
    MEANINGS,
    Indicator,
    communication,
    unanswered_cues,
)
from osler.protocols.consultation.judge.dialogue_acts import acknowledges
from osler.protocols.consultation.judge.follow_up import follow_up_parts
from osler.protocols.consultation.judge.named_acts import StepNamed
from osler.protocols.consultation.judge.other_languages import in_english
from osler.protocols.consultation.judge.reading import Reading, acts_of, read
from osler.protocols.consultation.judge.repeats import asked_again
from osler.protocols.consultation.judgement import Judgement
from osler.protocols.consultation.story import conclusion_of
from osler.text.hostile import safe

_YOU: Final = re.compile(r"\b(?:[Yy]our|[Yy]ou)\b")
_SHARES: Final = {
    "fact_coverage": "key facts elicited",
    "finding_coverage": "key findings obtained",
    "exam_recall": "required examinations and tests ordered",
    "exam_precision": "examinations and tests that were called for",
    "supporting_evidence": "key facts and findings given as evidence",
    "management_met": "decisive steps named",
    "follow_up": "follow-up: where to go and what to come back for",
}
_TALKED: Final = "How you talked (counted from your words; no part of the score)"
_NOT_READ: Final = {_TALKED: ["not analysed: the rules that read words know English alone"]}
_BACK: Final = "Moments to look back on (no rule judges empathy or rapport)"
_LOOK_AGAIN: Final = frozenset({"leading_questions", "several_at_once", "unexplained_jargon"})
_FELT: Final = frozenset({"cues_taken_up", "empathy"})
_NO_STEPS: Final[list[StepNamed]] = []
READS_WORDS: Final = (
    "A built-in examiner reads words, not meaning: what it did not recognize you may have said or done."
)
Played = Literal["doctor", "patient"]


def shown_short(short: Brief, played: Played = "doctor") -> RenderableType:
    """Return the short debriefing for a terminal. A person who `played` the patient reads it about the
    doctor."""
    turn = spoken_to(played)
    moments = Table.grid(padding=(0, 2))
    for one in short.moments:
        when = f"turn {one.turn}" if one.turn else "at the end"
        moments.add_row(Text(f"  {when}"), Text(f'"{one.quote}"\n{turn(one.effect)}'))
    parts: list[RenderableType] = [Text(turn(short.sentence), "bold"), Text("")]
    if short.moments:
        parts += [Text("Moments", "bold"), moments, Text("")]
    if short.next_time:
        lines = Table.grid(padding=(0, 1))
        for line in short.next_time:
            lines.add_row(Text("  -"), Text(turn(line)))
        parts += [Text("Next time", "bold"), lines, Text("")]
    return Group(*parts, Text(turn(READS_WORDS)))


def asked_missed_unsafe(
    case: Case,
    trace: Trace,
    judgement: Judgement,
    played: Played = "doctor",
    contests: Sequence[Contest] = (),
) -> RenderableType:
    """Return the whole debriefing for a terminal. A person who `played` the patient reads it about the
    doctor."""
    turn = spoken_to(played)
    rows = Table.grid(padding=(0, 1))
    for heading, entries in debrief(case, trace, judgement, contests).items():
        rows.add_row(Text(turn(heading), "bold"))
        listed = Table.grid(padding=(0, 1))
        for entry in entries:
            listed.add_row(Text("  -"), Text(entry))
        rows.add_row(listed)
    return Group(rows, Text(turn(READS_WORDS)))


def spoken_to(played: Played) -> Callable[[str], str]:
    """Rewords what addresses the doctor, for a person who played the patient."""
    if played == "doctor":
        return str
    words = {"You": "The doctor", "you": "the doctor", "Your": "The doctor's", "your": "the doctor's"}
    return lambda text: _YOU.sub(lambda found: words[found[0]], text)


def debrief(
    case: Case, trace: Trace, judgement: Judgement, contests: Sequence[Contest] = ()
) -> dict[str, list[str]]:
    """Return the whole debriefing as headings with their entries, safe to show; no heading is empty.

    What the rules did not recognize is called that: the words may have been others. An item stands under one
    heading only, with what was said against its verdict; the verdict stays as it was.
    """
    seen, against = read(trace), {one.item: one for one in contests}
    found = {
        "Your score": [
            *_score_lines(case, trace, judgement),
            *accepted_lines(accepted_shares(case, judgement, seen, against)),
        ],
        **_evidence(case, seen),
        **(_by_words(case, trace, judgement, seen, against) if in_english(judgement) else _NOT_READ),
        **_lessons(case),
    }
    return {heading: [safe(entry) for entry in entries] for heading, entries in found.items() if entries}


def short_debrief(case: Case, trace: Trace, judgement: Judgement) -> Brief:
    """Return the short debriefing: one sentence, three moments, what to do next time."""
    talk = communication(trace) if in_english(judgement) else dict.fromkeys(MEANINGS, Indicator(0, 0))
    return brief(case, read(trace), judgement, talk)


def _by_words(
    case: Case, trace: Trace, judgement: Judgement, seen: Reading, against: Mapping[str, Contest]
) -> dict[str, list[str]]:
    """Return what rules find in the words of an encounter in English."""
    acts, follow_up = _acts(case, judgement, seen, against), _follow_up(case, judgement, seen)
    return {**acts, **follow_up, **_talk(trace, seen)}


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


def accepted_lines(shares: Mapping[str, float]) -> Iterator[str]:
    """The second figures in words, as `accepted_shares` finds them."""
    words = {"management_met": "decisive steps named", "safety_done": "safety steps taken"}
    for name, share in shares.items():
        yield f"{words[name]}, with what a teacher accepted: {share:.0%}"


def accepted_shares(
    case: Case, judgement: Judgement, seen: Reading, against: Mapping[str, Contest]
) -> dict[str, float]:
    """The scores with what a teacher accepted, beside those by rule, by name; only those that it changes.
    `against` are the contested items by id."""
    accepted = {id for id, one in against.items() if one.answer == "accept"}
    gold, found = gold_standard(case), dict[str, float]()
    steps = gold.features.named(acts_of(seen)) if gold.features else ()
    if judgement.scores["management_met"].value is not None and any(
        step.id in accepted and not step.whole for step in steps
    ):
        shares = (1.0 if step.id in accepted else step.share for step in steps)
        found["management_met"] = sum(shares) / len(steps)
    if judgement.scores["safety_done"].value is not None and gold.safety and case.safety:
        done = set(gold.safety.named([*seen.questions, *acts_of(seen)], advice=True))
        if more := accepted & {act.id for act in case.safety} - done:
            found["safety_done"] = len(done | more) / len(case.safety)
    return found


def _evidence(case: Case, seen: Reading) -> dict[str, list[str]]:
    """Return what was elicited (results by name only), what was not (in full), and what was not yet back."""
    released, waiting = set(seen.released), set(seen.pending())
    facts = [fact.text for fact in case.facts if fact.id in released]
    results = [finding.name for finding in case.findings if finding.id in released]
    key = [(fact.id, fact.text) for fact in case.facts if fact.key]
    key += [(finding.id, f"{finding.name}: {finding.result}") for finding in case.findings if finding.key]
    shown, names = {id for id, _ in key}, {finding.id: finding.name for finding in case.findings}
    named = names | {fact.id: fact.text for fact in case.facts}
    sought = released | waiting
    groups = case.workup.required if case.workup else ()
    unmarked = not groups and not any(finding.key for finding in case.findings)
    return {
        "You found out": facts + ([f"Results: {', '.join(results)}."] if results else []),
        "Ordered, but not yet back when you concluded": [names[id] for id in seen.pending() if id in names],
        "Key facts and findings you did not obtain": [text for id, text in key if id not in sought],
        "Other examinations and tests you did not order": [
            " or ".join(named[id] for id in group)
            for group in groups
            if sought.isdisjoint(group) and shown.isdisjoint(group)
        ],
        "Results that were there to order (the case does not say which of them matter)": [
            finding.name for finding in case.findings if unmarked and finding.id not in sought
        ],
    }


def _acts(
    case: Case, judgement: Judgement, seen: Reading, against: Mapping[str, Contest]
) -> dict[str, list[str]]:
    """Return the management steps, unsafe and unnecessary acts and safety actions that were scored, each with
    the doctor's own words."""

    def told(item: str, entry: str) -> str:
        return "\n".join((entry, *contest_lines(against[item]))) if item in against else entry

    gold, scores, acts = gold_standard(case), judgement.scores, acts_of(seen)
    found: dict[str, list[str]] = {}
    if scores["management_met"].value is not None:
        steps = gold.features.named(acts) if gold.features else _NO_STEPS
        part = [step for step in steps if step.met and not step.whole]
        left = [(step.critical, told(step.id, _what(step))) for step in steps if not step.met]
        found["Decisive steps you named"] = [told(step.id, _step(step)) for step in steps if step.whole]
        found["Steps you named in part"] = [told(step.id, _in_part(step)) for step in part]
        found["Critical steps not recognized in your plan"] = [what for critical, what in left if critical]
        found["Other steps not recognized in your plan"] = [what for critical, what in left if not critical]
    work, plan = case.workup, case.management
    tests, others = work.contraindicated if work else (), plan.contraindicated if plan else ()
    if scores["unsafe_acts"].value is not None and gold.unsafe and gold.unnecessary:
        ordered = {entry.name for entry in tests}
        harm, useless = gold.unsafe.named(acts), gold.unnecessary.named(acts)
        why = {entry.name: entry.why for entry in (*others, *tests)}
        lines = {name: f'{name} - "{quote}". {why[name]}' for name, quote in (harm | useless).items()}
        found["Tests you ordered that would harm"] = [lines[name] for name in harm if name in ordered]
        found["Unsafe acts you named"] = [lines[name] for name in harm if name not in ordered]
        found["Unnecessary here, though not harmful"] = [lines[name] for name in useless if name not in harm]
    if scores["unsupported_evidence"].value is not None:
        found["Evidence that no one gave you"] = list(dict.fromkeys(scores["unsupported_evidence"].evidence))
    if scores["safety_done"].value is not None and gold.safety:
        done = gold.safety.named([*seen.questions, *acts], advice=True)
        actions = case.safety or ()
        found["Safety steps you took"] = [
            told(a.id, f'{a.what} - "{done[a.id]}". {a.why}') for a in actions if a.id in done
        ]
        found["Safety steps not recognized"] = [
            told(a.id, f"{a.what} {a.why}") for a in actions if a.id not in done
        ]
    found["Questions asked again"] = list(dict.fromkeys(one.said for one in asked_again(seen.exchanges)))
    return found


def _follow_up(case: Case, judgement: Judgement, seen: Reading) -> dict[str, list[str]]:
    """Return the parts of the follow-up, each with the words that name it."""
    if judgement.scores["follow_up"].value is None:
        return {}
    parts = follow_up_parts(gold_standard(case).follow_up, seen)
    return {
        "Follow-up you named": [f'{part.what} - "{part.quote}"' for part in parts if part.quote],
        "Follow-up not recognized": [part.what for part in parts if not part.quote],
    }


def _talk(trace: Trace, seen: Reading) -> dict[str, list[str]]:
    """Return the communication figures that apply, quoting the words that are worth another look. Feelings
    are shown as moments and not counted: whether one was met, no rule can say."""
    lines = []
    for name, found in communication(trace).items():
        what, of_encounters, _ = MEANINGS[name].partition(", of encounters")
        if name in _FELT or not found.of:
            continue
        if of_encounters:
            lines.append(f'{what}: "{found.quotes[0]}"' if found.met else f"{what}: not seen")
        else:
            again = f': "{found.quotes[0]}"' if name in _LOOK_AGAIN and found.quotes else ""
            lines.append(f"{what}: {found.met} of {found.of}{again}")
    back = [
        f'turn {turn}: "{heard}" - then: {f"{chr(34)}{said}{chr(34)}" if said else "the conclusion"}'
        for turn, heard, said in unanswered_cues(seen.exchanges)
    ]
    back += [f'turn {one.turn}: you said "{one.said}"' for one in seen.exchanges if acknowledges(one.said)]
    return {_TALKED: lines, _BACK: back}


def _step(step: StepNamed) -> str:
    return f'{_what(step)} - "{step.quotes[0]}".'


def _in_part(step: StepNamed) -> str:
    left = "; ".join(part for part in step.parts if part not in step.met)
    critical = " (critical)" if step.critical else ""
    return f'{step.told}{critical} - "{"; ".join(step.quotes)}". Not recognized: {left}'


def _what(step: StepNamed) -> str:
    return f"{step.what} ({step.dose})" if step.dose else step.what


def _lessons(case: Case) -> dict[str, list[str]]:
    """Return the teaching points: the differential, the objectives and the guideline."""
    found = {}
    if case.diagnosis and case.diagnosis.alternatives:
        found["Why not another diagnosis"] = [
            f"{other.name}: {other.why_less_likely}" for other in case.diagnosis.alternatives
        ]
    if case.teaching:
        found["What the case teaches"] = list(case.teaching.objectives)
    if case.guideline:
        found["By the guideline"] = [case.guideline.told()]
    if case.provenance.sources:
        others = [one for one in case.provenance.sources if one != case.guideline]
        found["Sources"] = [source.told() for source in others]
    return found
