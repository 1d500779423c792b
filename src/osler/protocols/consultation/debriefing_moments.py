"""The short debriefing of a consultation: one sentence, three moments with quotes, what to do next.

Everything in it is counted or quoted by rule. What a rule cannot judge (empathy, rapport) is a moment to look
back on, without a verdict; what was not recognized is called that, since the words may have been others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from osler.cases.answers import answer_of
from osler.cases.model import Case, Contraindicated, Fact
from osler.core.debriefing import Entry, Phrase, Quote, Words
from osler.core.said_in import SaidIn
from osler.core.trace import Trace
from osler.protocols.consultation.judge.built_in import gold_standard
from osler.protocols.consultation.judge.communication import Indicator, communication, unanswered_cues
from osler.protocols.consultation.judge.gold import Gold
from osler.protocols.consultation.judge.named_acts import StepNamed
from osler.protocols.consultation.judge.open_questions import asks_several
from osler.protocols.consultation.judge.other_languages import in_english
from osler.protocols.consultation.judge.reading import Reading, acts_of, plan_of, read
from osler.protocols.consultation.judge.repeats import asked_again
from osler.protocols.consultation.judgement import Judgement
from osler.text.topics import canonical_question

MOMENTS: Final = 3
NEXT: Final = 3
_LONGEST: Final = 160
_LINES: Final = 6
_KEPT_BACK: Final = frozenset({"in_private", "normalized", "confidential"})


@dataclass(frozen=True)
class Consulted:
    """A consultation as its debriefing reads it: the case, the trace and the judgement."""

    case: Case
    trace: Trace
    judgement: Judgement

    @cached_property
    def reading(self) -> Reading:
        """The episode as a judge reads it."""
        return read(self.trace)

    @cached_property
    def said(self) -> SaidIn:
        """The doctor's words by exchange."""
        return SaidIn(self.trace, "doctor")

    @cached_property
    def gold(self) -> Gold:
        """The gold standard of the case."""
        return gold_standard(self.case)

    @cached_property
    def acts(self) -> tuple[str, ...]:
        """The doctor's acts in words, as the judge reads them."""
        return tuple(acts_of(self.reading))

    @cached_property
    def steps(self) -> tuple[StepNamed, ...]:
        """The management steps, with what was named of each."""
        return tuple(self.gold.features.named(self.acts)) if self.gold.features else ()

    @cached_property
    def talk(self) -> dict[str, Indicator]:
        """The communication figures; none unless English was spoken."""
        return communication(self.trace) if in_english(self.judgement) else {}

    @cached_property
    def harm(self) -> dict[str, str]:
        """The orders and acts that would harm, each with the words that name it."""
        return self.gold.unsafe.named(self.acts) if self.gold.unsafe else {}

    @cached_property
    def forbidden(self) -> dict[str, Contraindicated]:
        """The orders and acts that the case says should not be, by name, tests first."""
        work, plan = self.case.workup, self.case.management
        entries = (*(work.contraindicated if work else ()), *(plan.contraindicated if plan else ()))
        return {one.name: one for one in reversed(entries)}

    def moment(self, turn: int, quote: str, effect: str, item: str = "") -> Entry:
        """A moment of the encounter: its turn (0: the conclusion), the words, and what they did."""
        n = self.said.turn(turn) if turn else self.said.last
        quotes = (Quote(_clipped(quote), turn),)
        return Entry(_clipped(effect), quotes, item=item, exchange=n, keep=max(n - 1, 0))


def _clipped(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else f"{flat[: _LONGEST - 4].rsplit(' ', 1)[0]} ..."


def _bare(text: str) -> str:
    """A text cut to length, without its full stop."""
    cut = _clipped(text)
    return cut if cut.endswith(" ...") else cut.rstrip(".")


def sentence(seen: Consulted) -> Phrase:
    """Right or wrong with the answer, and the most important thing done well."""
    correct, final, answer = seen.judgement.scores["correct"], seen.reading.final, answer_of(seen.case)
    given = _clipped(str(final["diagnosis"])) if final else "no answer"
    if correct.value == 1:
        as_it_is = "" if given.casefold() == answer.casefold() else f" (the case: {answer})"
        verdict = f"Right: {given}{as_it_is}"
    elif correct.value is None:
        verdict = f"Not scored: {given} (the answer: {answer})"
    elif final is None:
        verdict = f"There was no answer; it is {answer}"
    else:
        verdict = f"{given} was not recognized as the answer, which is {answer}"
    if praise := _praise(seen):
        return Phrase("{}, {} {you} {}.", (verdict, "and" if correct.value == 1 else "but", praise))
    return Phrase("{}.", (verdict,))


def _praise(seen: Consulted) -> str:
    """The most important thing done well; "" if no rule recognized one."""
    whole = [step for step in seen.steps if step.whole]
    best = next((step for step in whole if step.critical), whole[0] if whole else None)
    if best:
        return f"named a decisive step: {_bare(best.what)}"
    if done := [one.item for one in _safety_done(seen)]:
        what = next(action.what for action in seen.case.safety or () if action.id == done[0])
        return f"thought of safety: {_bare(what)}"
    key = [fact for fact in seen.case.facts if fact.key]
    facts = [fact for fact in key if fact.id in seen.reading.released]
    if facts:
        return f"heard {len(facts)} of the {len(key)} key facts"
    result = [one for one in seen.case.findings if one.key and one.id in seen.reading.released]
    return f"obtained a key result: {result[0].name}" if result else ""


def moments(seen: Consulted) -> tuple[Entry, ...]:
    """Up to three in order of time: what went well first, and one to look at again if there is one."""
    good = [one for one in (_opened(seen), _decided(seen), *_safety_done(seen), *_named_steps(seen)) if one]
    again = list(_again(seen))
    entries = good[: MOMENTS - min(1, len(again))]
    entries += again[: MOMENTS - len(entries)]
    entries += [one for one in good if one not in entries][: MOMENTS - len(entries)]
    return tuple(sorted(dict.fromkeys(entries), key=_when))


def _when(moment: Entry) -> tuple[bool, int]:
    """Its place in time: the conclusion comes last."""
    turn = moment.quotes[0].turn or 0
    return turn == 0, turn


def _opened(seen: Consulted) -> Entry | None:
    """The question that opened the most: a key fact kept back until asked rightly, or the most facts."""
    facts = {fact.id: fact for fact in seen.case.facts}

    def worth(opened: Sequence[Fact]) -> tuple[int, int]:
        key = [fact for fact in opened if fact.key]
        return sum(fact.told in _KEPT_BACK for fact in key), len(key)

    pairs = [(one, [facts[id] for id in one.opened if id in facts]) for one in seen.reading.exchanges]
    best = max(pairs, key=lambda pair: worth(pair[1]), default=None)
    if best is None or worth(best[1])[1] == 0:
        return None
    kept = next((f for f in best[1] if f.key and f.told in _KEPT_BACK), None)
    fact = kept or next(f for f in best[1] if f.key)
    how = "opened what was kept back" if kept else "opened a key fact"
    return seen.moment(best[0].turn, best[0].said, f"{how}: {fact.text}")


def _decided(seen: Consulted) -> Entry | None:
    """The order that brought a key result: an abnormal one first, a test before an examination."""
    findings = {one.id: one for one in seen.case.findings if one.key and one.id in seen.reading.released}
    orders = [
        (order, findings[id]) for order in seen.reading.placed for id in order.findings if id in findings
    ]
    if not orders:
        return None
    order, finding = max(orders, key=lambda pair: (bool(pair[1].abnormal), pair[1].kind != "examination"))
    return seen.moment(order.turn, order.name, f"brought a key result: {finding.name}: {finding.result}")


def _safety_done(seen: Consulted) -> list[Entry]:
    """The first words that name each safety action."""
    safety, actions = seen.gold.safety, {action.id: action for action in seen.case.safety or ()}
    if not safety or not actions:
        return []
    entries: dict[str, Entry] = {}
    spoken = [(one.turn, one.said) for one in seen.reading.exchanges]
    for turn, text in (*spoken, *((0, act) for act in seen.acts)):
        for id in safety.named([text], advice=True):
            entries.setdefault(id, seen.moment(turn, text, actions[id].what, id))
    return list(entries.values())


def _named_steps(seen: Consulted) -> Iterator[Entry]:
    for step in sorted(seen.steps, key=lambda step: not step.critical):
        if step.whole and step.quotes:
            yield seen.moment(0, step.quotes[0], f"a decisive step: {step.what}")


def _again(seen: Consulted) -> Iterator[Entry]:
    """Yield the moments to look at again, the gravest first."""
    yield from _harm(seen)
    plan = "; ".join(plan_of(seen.reading)[:_LINES])
    for step in seen.steps:
        if step.critical and step.met and not step.whole:
            left = "; ".join(part for part in step.parts if part not in step.met)
            text = f"{len(step.met)} of {len(step.parts)} parts of a critical step; not recognized: {left}"
            yield seen.moment(0, step.quotes[0], text)
    for step in seen.steps:
        if step.critical and not step.met:
            yield seen.moment(0, plan or "(no plan)", f"a critical step was not recognized: {step.what}")
    for turn, heard, text in unanswered_cues(seen.reading.exchanges):
        then = f'then: "{_clipped(text)}"' if text else "the conclusion came next"
        yield seen.moment(turn, heard, f"a feeling was voiced; {then}. No rule judges empathy: look back.")
    for one in asked_again(seen.reading.exchanges):
        yield seen.moment(one.turn, one.said, "asked again what had been answered")
    for one in seen.reading.exchanges:
        if asks_several(one.said):
            yield seen.moment(one.turn, one.said, "several questions at once: one answer may be lost")


def _harm(seen: Consulted) -> Iterator[Entry]:
    turns = {order.name: order.turn for order in seen.reading.placed}
    for name, quote in seen.harm.items():
        yield seen.moment(turns.get(quote, 0), quote, _why_harmful(seen, name))


def _why_harmful(seen: Consulted, name: str) -> str:
    return f"{name} would harm here: {seen.forbidden[name].why}"


def next_time(seen: Consulted) -> tuple[Words, ...]:
    """Two or three concrete things to do, of different kinds while there are any."""
    kinds: list[list[Words]] = [
        list(lines)
        for lines in (_avoid(seen), _plan(seen), _order(seen), _ask(seen), _care(seen), _talk(seen))
    ]
    words: list[Words] = []
    while len(words) < NEXT and any(kinds):
        for lines in kinds:
            if lines and len(words) < NEXT:
                words.append(lines.pop(0))
    return tuple(words)


def _avoid(seen: Consulted) -> Iterator[str]:
    for name in seen.harm:
        yield f"Leave out what harms: {_clipped(_why_harmful(seen, name))}"


def _plan(seen: Consulted) -> Iterator[str]:
    for step in seen.steps:
        if step.critical and not step.whole:
            dose = f" ({step.dose})" if step.dose else ""
            yield f"Say in the plan: {_bare(step.told)}{dose}"


def _order(seen: Consulted) -> Iterator[Words]:
    waiting = set(seen.reading.pending())
    for one in seen.case.findings:
        if one.key and one.id in waiting:
            yield Phrase("Wait for what {you} ordered: {} had not come back", (one.name,))
    for one in seen.case.findings:
        if one.key and one.id not in seen.reading.released and one.id not in waiting:
            yield f"Before the conclusion, get: {one.name} (it showed: {_clipped(one.result)})"


def _ask(seen: Consulted) -> Iterator[str]:
    for fact in seen.case.facts:
        if fact.key and fact.id not in seen.reading.released and fact.known_by != "record":
            yield f'Ask "{canonical_question(fact.topic)}" (to hear: {_bare(fact.text)})'


def _care(seen: Consulted) -> Iterator[str]:
    done = {one.item for one in _safety_done(seen)}
    for action in seen.case.safety or ():
        if action.id not in done:
            yield f"Think of safety: {_clipped(action.what)}"


def _talk(seen: Consulted) -> Iterator[Words]:
    advice = {
        "introduction": "Begin with {your} name and {your} role",
        "summary": "Sum up what {you} heard before going on, and ask whether it is right",
        "understanding": "Check that the plan is understood: ask to hear it in the patient's own words",
        "closing": "Close aloud: what happens next, when to come back, any questions",
    }
    for name, words in advice.items():
        result = seen.talk.get(name)
        if result and result.of and not result.met:
            yield Phrase(words)
