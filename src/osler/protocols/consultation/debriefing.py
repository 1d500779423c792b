"""The debriefing of a consultation, as records: what was found out, missed, named and unsafe, how the doctor
talked, and what the case teaches. What the rules did not recognize is called that: the words may have been
others. An item stands under one heading only; a score names those that it missed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from pydantic_core import from_json

from osler.cases.answers import answer_of
from osler.cases.model import Case
from osler.core.debriefing import (
    Debriefing,
    Ended,
    Entry,
    Kind,
    Phrase,
    Quote,
    Section,
    Words,
    missed_lines,
    sections,
)
from osler.judging.scores import GRADER
from osler.protocols.consultation.debriefing_moments import Consulted, moments, next_time, sentence
from osler.protocols.consultation.judge.communication import MEANINGS, unanswered_cues
from osler.protocols.consultation.judge.dialogue_acts import acknowledges
from osler.protocols.consultation.judge.follow_up import follow_up_parts
from osler.protocols.consultation.judge.named_acts import StepNamed
from osler.protocols.consultation.judge.other_languages import in_english
from osler.protocols.consultation.judge.repeats import asked_again
from osler.protocols.consultation.judgement import judgement_of

DOCTOR: Final = "doctor"
HEADINGS: Final[Mapping[str, tuple[Kind, str]]] = {
    "score": ("score", "{Your} score"),
    "elicited": ("good", "{You} found out"),
    "not_back": ("missed", "Ordered, but not yet back when {you} concluded"),
    "not_obtained": ("missed", "Key facts and findings {you} did not obtain"),
    "not_ordered": ("missed", "Other examinations and tests {you} did not order"),
    "there": ("talk", "Results that were there to order (the case does not say which of them matter)"),
    "steps": ("good", "Decisive steps {you} named"),
    "steps_in_part": ("missed", "Steps {you} named in part"),
    "critical_missed": ("missed", "Critical steps not recognized in {your} plan"),
    "others_missed": ("missed", "Other steps not recognized in {your} plan"),
    "harmful_tests": ("unsafe", "Tests {you} ordered that would harm"),
    "harmful_acts": ("unsafe", "Unsafe acts {you} named"),
    "unnecessary": ("other", "Unnecessary here, though not harmful"),
    "not_given": ("other", "Evidence that no one gave {you}"),
    "safety_done": ("good", "Safety steps {you} took"),
    "safety_missed": ("missed", "Safety steps not recognized"),
    "repeated": ("talk", "Questions asked again"),
    "follow_up": ("good", "Follow-up {you} named"),
    "follow_up_missed": ("missed", "Follow-up not recognized"),
    "talk": ("talk", "How {you} talked (counted from {your} words; no part of the score)"),
    "look_back": ("talk", "Moments to look back on (no rule judges empathy or rapport)"),
    "alternatives": ("lesson", "Why not another diagnosis"),
    "objectives": ("lesson", "What the case teaches"),
    "guideline": ("lesson", "By the guideline"),
    "sources": ("lesson", "Sources"),
}
"""The sections in order: what each is to the person, and its heading, which is words alone."""
READS_WORDS: Final = Phrase(
    "A built-in examiner reads words, not meaning: what it did not recognize {you} may have said or done."
)
_SHARES: Final = {
    "fact_coverage": "key facts elicited",
    "finding_coverage": "key findings obtained",
    "exam_recall": "required examinations and tests ordered",
    "exam_precision": "examinations and tests that were called for",
    "supporting_evidence": "key facts and findings given as evidence",
    "management_met": "decisive steps named",
    "follow_up": "follow-up: where to go and what to come back for",
}
_ACCEPTED: Final = {
    "management_met": "decisive steps named",
    "safety_done": "safety steps taken",
    "follow_up": "follow-up named",
}
_NOT_READ: Final = "not analysed: the rules that read words know English alone"
_LOOK_AGAIN: Final = frozenset({"leading_questions", "several_at_once", "unexplained_jargon"})
_FELT: Final = frozenset({"cues_taken_up", "empathy"})


def debriefing(ended: Ended[Case]) -> Debriefing | None:
    """Return the debriefing of an ended consultation; `None` if the built-in judge has not judged it."""
    if (body := ended.by(GRADER)) is None:
        return None
    judgement = judgement_of(body)
    seen = Consulted(ended.case, ended.trace, judgement)
    accepted = _accepted(seen, ended.accepted)
    return Debriefing(
        about=DOCTOR,
        reader=ended.reader,
        sentence=sentence(seen),
        examiner=READS_WORDS,
        grader=GRADER,
        moments=moments(seen),
        next_time=next_time(seen),
        sections=_sections(seen, accepted, contestable=ended.reader == DOCTOR),
        brief=True,
        scores={name: score.value for name, score in judgement.scores.items()},
        accepted=accepted,
        more={"scores": from_json(body)["scores"]},
    )


def _sections(seen: Consulted, accepted: Mapping[str, float], *, contestable: bool) -> tuple[Section, ...]:
    entries = {"score": list(_score_lines(seen, accepted)), **_evidence(seen), **_lessons(seen.case)}
    if in_english(seen.judgement):
        entries |= {**_steps(seen), **_harm(seen), **_safety(seen), **_follow_up(seen), **_talk(seen)}
    else:
        entries["talk"] = _entries([_NOT_READ])
    result = sections(HEADINGS, entries)
    return tuple(_open(one) if contestable and one.kind == "missed" else one for one in result)


def _open(section: Section) -> Section:
    """A section whose items can be contested: only what was not recognized can have been done."""
    return section._replace(
        entries=tuple(one._replace(contestable=bool(one.item)) for one in section.entries)
    )


def _entries(texts: Iterable[Words]) -> list[Entry]:
    return [Entry(text) for text in texts]


def _quoted(seen: Consulted, text: str, quotes: Sequence[str], note: Words = "", item: str = "") -> Entry:
    """An entry with words that the doctor said, or wrote, and where to try again."""
    n = next((n for quote in quotes if (n := seen.said.exchange(quote))), 0)
    kept = n - 1 if n else None
    return Entry(text, tuple(map(Quote, quotes)), note, item=item, exchange=n, keep=kept)


def _score_lines(seen: Consulted, accepted: Mapping[str, float]) -> Iterator[Entry]:
    """Yield the verdict with its reason, the correct answer, the shares that were scored, each with what it
    missed, and those that a teacher's answers change."""
    final, correct = seen.reading.final, seen.judgement.scores["correct"]
    given = final["diagnosis"] if final else "no answer"
    verdict = "not scored" if correct.value is None else "right" if correct.value == 1 else "wrong"
    yield Entry(f"{verdict}: {given} ({correct.reason})")
    yield Entry(f"the answer: {answer_of(seen.case)}")
    for name, words in _SHARES.items():
        score = seen.judgement.scores[name]
        if score.value is not None:
            yield Entry(f"{words}: {score.value:.0%}", details=missed_lines(score.missed))
    for name, share in accepted.items():
        yield Entry(f"{_ACCEPTED[name]}, with what a teacher accepted: {share:.0%}")


def _accepted(consultation: Consulted, items: frozenset[str]) -> dict[str, float]:
    """The scores with the items that a teacher accepted, by name; only those that it changes."""
    scores, accepted = consultation.judgement.scores, dict[str, float]()
    if scores["management_met"].value is not None and any(
        step.id in items and not step.whole for step in consultation.steps
    ):
        shares = (1.0 if step.id in items else step.share for step in consultation.steps)
        accepted["management_met"] = sum(shares) / len(consultation.steps)
    if scores["safety_done"].value is not None and consultation.case.safety:
        done = _safety_named(consultation).keys()
        if more := items & {act.id for act in consultation.case.safety} - done:
            accepted["safety_done"] = len(done | more) / len(consultation.case.safety)
    if scores["follow_up"].value is not None:
        parts = follow_up_parts(consultation.gold.follow_up, consultation.reading)
        if any(part.id in items and not part.quote for part in parts):
            accepted["follow_up"] = sum(bool(part.quote) or part.id in items for part in parts) / len(parts)
    return accepted


def _evidence(seen: Consulted) -> dict[str, list[Entry]]:
    """List what was elicited (results by name only), what was not (in full), and what was not yet back."""
    case, released, pending = seen.case, set(seen.reading.released), seen.reading.pending()
    facts = [fact.text for fact in case.facts if fact.id in released]
    results = [finding.name for finding in case.findings if finding.id in released]
    key = {fact.id: fact.text for fact in case.facts if fact.key}
    key |= {finding.id: f"{finding.name}: {finding.result}" for finding in case.findings if finding.key}
    names = {finding.id: finding.name for finding in case.findings}
    named = names | {fact.id: fact.text for fact in case.facts}
    sought = released | set(pending)
    groups = case.workup.required if case.workup else ()
    unmarked = not groups and not any(finding.key for finding in case.findings)
    others = [group for group in groups if sought.isdisjoint(group) and key.keys().isdisjoint(group)]
    there = [finding.name for finding in case.findings if unmarked and finding.id not in sought]
    return {
        "elicited": _entries(facts + ([f"Results: {', '.join(results)}."] if results else [])),
        "not_back": _entries(names[id] for id in pending if id in names),
        "not_obtained": _entries(text for id, text in key.items() if id not in sought),
        "not_ordered": _entries(" or ".join(named[id] for id in group) for group in others),
        "there": _entries(there),
    }


def _steps(seen: Consulted) -> dict[str, list[Entry]]:
    """The management steps that were scored, with the doctor's own words."""
    if seen.judgement.scores["management_met"].value is None:
        return {}
    result: dict[str, list[Entry]] = {}
    for step in seen.steps:
        what = f"{step.what} ({step.dose})" if step.dose else step.what
        if step.whole:
            result.setdefault("steps", []).append(_quoted(seen, what, step.quotes[:1], item=step.id))
        elif step.met:
            result.setdefault("steps_in_part", []).append(_in_part(seen, step))
        else:
            name = "critical_missed" if step.critical else "others_missed"
            result.setdefault(name, []).append(Entry(what, item=step.id))
    return result


def _in_part(seen: Consulted, step: StepNamed) -> Entry:
    left = "; ".join(part for part in step.parts if part not in step.met)
    what = f"{step.told} (critical)" if step.critical else step.told
    return _quoted(seen, what, step.quotes, f"not recognized: {left}", step.id)


def _harm(seen: Consulted) -> dict[str, list[Entry]]:
    """The unsafe and unnecessary orders and acts that were scored, and the evidence that nobody gave."""
    scores, gold, work = seen.judgement.scores, seen.gold, seen.case.workup
    result: dict[str, list[Entry]] = {}
    if scores["unsafe_acts"].value is not None and gold.unsafe and gold.unnecessary:
        tests = {one.name for one in work.contraindicated} if work else set()
        useless = gold.unnecessary.named(seen.acts)
        for name, quote in (useless | seen.harm).items():
            harmful = "harmful_tests" if name in tests else "harmful_acts"
            part = harmful if name in seen.harm else "unnecessary"
            result.setdefault(part, []).append(_quoted(seen, name, (quote,), seen.forbidden[name].why))
    if scores["unsupported_evidence"].value is not None:
        result["not_given"] = _entries(dict.fromkeys(scores["unsupported_evidence"].evidence))
    return result


def _safety_named(seen: Consulted) -> dict[str, str]:
    """The ids of the safety actions that were named, each with the doctor's words."""
    safety = seen.gold.safety
    return safety.named([*seen.reading.questions, *seen.acts], advice=True) if safety else {}


def _safety(seen: Consulted) -> dict[str, list[Entry]]:
    result: dict[str, list[Entry]] = {}
    if seen.judgement.scores["safety_done"].value is not None and seen.gold.safety:
        done = _safety_named(seen)
        for act in seen.case.safety or ():
            quotes = (done[act.id],) if act.id in done else ()
            entry = _quoted(seen, act.what, quotes, act.why, act.id)
            result.setdefault("safety_done" if quotes else "safety_missed", []).append(entry)
    again = dict.fromkeys(one.said for one in asked_again(seen.reading.exchanges))
    return {**result, "repeated": [_quoted(seen, "", (said,)) for said in again]}


def _follow_up(seen: Consulted) -> dict[str, list[Entry]]:
    """The parts of the follow-up, each with the words that name it."""
    if seen.judgement.scores["follow_up"].value is None:
        return {}
    parts = follow_up_parts(seen.gold.follow_up, seen.reading)
    return {
        "follow_up": [_quoted(seen, part.what, (part.quote,), item=part.id) for part in parts if part.quote],
        "follow_up_missed": [Entry(part.what, item=part.id) for part in parts if not part.quote],
    }


def _talk(seen: Consulted) -> dict[str, list[Entry]]:
    """The communication figures that apply, quoting the words that are worth another look. Feelings are shown
    as moments and not counted: whether one was met, no rule can say."""
    lines = []
    for name, result in seen.talk.items():
        what, of_encounters, _ = MEANINGS[name].partition(", of encounters")
        if name in _FELT or not result.of:
            continue
        if of_encounters:
            lines.append(_quoted(seen, what, result.quotes[:1]) if result.met else Entry(f"{what}: not seen"))
        else:
            quotes = result.quotes[:1] if name in _LOOK_AGAIN else ()
            lines.append(_quoted(seen, f"{what}: {result.met} of {result.of}", quotes))
    exchanges, back = seen.reading.exchanges, []
    for turn, heard, said in unanswered_cues(exchanges):
        then = f'then: "{said}"' if said else "then: the conclusion"
        back.append(_at(seen, turn, Entry(f'turn {turn}: "{heard}"', note=then)))
    for one in exchanges:
        if acknowledges(one.said):
            when = Phrase("turn {}: {you} said", (str(one.turn),))
            back.append(_at(seen, one.turn, Entry(when, (Quote(one.said),))))
    return {"talk": lines, "look_back": back}


def _at(seen: Consulted, turn: int, entry: Entry) -> Entry:
    """The entry with the exchange of its turn."""
    n = seen.said.turn(turn)
    return entry._replace(exchange=n, keep=n - 1 if n else None)


def _lessons(case: Case) -> dict[str, list[Entry]]:
    """The teaching points: the differential, the objectives, the guideline and the sources."""
    known, others = case.diagnosis, [one for one in case.provenance.sources if one != case.guideline]
    return {
        "alternatives": _entries(
            f"{other.name}: {other.why_less_likely}" for other in (known.alternatives if known else ())
        ),
        "objectives": _entries(case.teaching.objectives if case.teaching else ()),
        "guideline": _entries([case.guideline.told()] if case.guideline else ()),
        "sources": _entries(source.told() for source in others),
    }
