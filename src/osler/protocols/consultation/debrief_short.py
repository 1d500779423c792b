"""The short debriefing of a person after a case: one sentence, three moments with quotes, what to do next.

Everything in it is counted or quoted by rule. What a rule cannot judge (empathy, rapport) is a moment to look
back on, without a verdict; what was not recognized is called that, since the words may have been others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from osler.cases.model import Case, Contraindicated, Fact
from osler.protocols.consultation.judge.built_in import gold_standard
from osler.protocols.consultation.judge.communication import Indicator, unanswered_cues
from osler.protocols.consultation.judge.named_acts import StepNamed
from osler.protocols.consultation.judge.open_questions import asks_several
from osler.protocols.consultation.judge.reading import Reading, acts_of, plan_of
from osler.protocols.consultation.judge.repeats import asked_again
from osler.protocols.consultation.judgement import Judgement
from osler.text.hostile import safe
from osler.text.topics import canonical_question

MOMENTS: Final = 3
NEXT: Final = 3
_LONGEST: Final = 160
_LINES: Final = 6
_KEPT_BACK: Final = frozenset({"in_private", "normalized", "confidential"})


class Moment(NamedTuple):
    """A moment of the encounter: its turn (0: the conclusion), the words, and what they did."""

    turn: int
    quote: str
    effect: str


class Brief(NamedTuple):
    """The short debriefing: one sentence, at most three moments in order, at most three things to do."""

    sentence: str
    moments: tuple[Moment, ...]
    next_time: tuple[str, ...]


class _Seen(NamedTuple):
    """Everything that the short form is made of."""

    case: Case
    reading: Reading
    judgement: Judgement
    talk: dict[str, Indicator]
    steps: list[StepNamed]


def brief(case: Case, reading: Reading, judgement: Judgement, talk: dict[str, Indicator]) -> Brief:
    """Return the short debriefing, addressed to the doctor, safe to show."""
    gold = gold_standard(case)
    steps = gold.features.named(acts_of(reading)) if gold.features else []
    seen = _Seen(case, reading, judgement, talk, steps)
    moments = tuple(
        Moment(one.turn, safe(_clipped(one.quote)), safe(_clipped(one.effect))) for one in _moments(seen)
    )
    return Brief(safe(_sentence(seen)), moments, tuple(safe(line) for line in _next_time(seen)))


def _clipped(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else f"{flat[: _LONGEST - 4].rsplit(' ', 1)[0]} ..."


def _bare(text: str) -> str:
    """A text cut to length, without its full stop."""
    cut = _clipped(text)
    return cut if cut.endswith(" ...") else cut.rstrip(".")


def _sentence(seen: _Seen) -> str:
    """Right or wrong with the answer, and the most important thing done well."""
    task, correct = seen.case.task, seen.judgement.scores["correct"]
    final = seen.reading.final
    given = _clipped(str(final["diagnosis"])) if final else "no answer"
    answer = (task.options or {}).get(task.answer, task.answer)
    if correct.value == 1:
        told = f"Right: {given}" + (f" (the case: {answer})" if given.casefold() != answer.casefold() else "")
    elif correct.value is None:
        told = f"Not scored: {given} (the answer: {answer})"
    elif final is None:
        told = f"There was no answer; it is {answer}"
    else:
        told = f"{given} was not recognized as the answer, which is {answer}"
    praise = _praise(seen)
    joined = " and" if correct.value == 1 else " but"
    return f"{told},{joined} you {praise}." if praise else f"{told}."


def _praise(seen: _Seen) -> str:
    """The most important thing done well; "" if no rule recognized one."""
    whole = [step for step in seen.steps if step.whole]
    best = next((step for step in whole if step.critical), whole[0] if whole else None)
    if best:
        return f"named a decisive step: {_bare(best.what)}"
    if done := _safety_done(seen):
        return f"thought of safety: {_bare(done[0].effect)}"
    key = [fact for fact in seen.case.facts if fact.key]
    heard = [fact for fact in key if fact.id in seen.reading.released]
    if heard:
        return f"heard {len(heard)} of the {len(key)} key facts"
    found = [one for one in seen.case.findings if one.key and one.id in seen.reading.released]
    return f"obtained a key result: {found[0].name}" if found else ""


def _moments(seen: _Seen) -> list[Moment]:
    """Up to three in order of time: what went well first, and one to look at again if there is one."""
    good = [one for one in (_opened(seen), _decided(seen), *_safety_done(seen), *_named_steps(seen)) if one]
    again = list(_again(seen))
    chosen = good[: MOMENTS - min(1, len(again))]
    chosen += again[: MOMENTS - len(chosen)]
    chosen += [one for one in good if one not in chosen][: MOMENTS - len(chosen)]
    return sorted(dict.fromkeys(chosen), key=lambda one: (one.turn == 0, one.turn))


def _opened(seen: _Seen) -> Moment | None:
    """The question that opened the most: a key fact kept back until asked rightly, or the most facts."""
    facts = {fact.id: fact for fact in seen.case.facts}

    def worth(opened: Sequence[Fact]) -> tuple[int, int]:
        key = [fact for fact in opened if fact.key]
        return sum(fact.told in _KEPT_BACK for fact in key), len(key)

    told = [(one, [facts[id] for id in one.opened if id in facts]) for one in seen.reading.exchanges]
    best = max(told, key=lambda pair: worth(pair[1]), default=None)
    if best is None or worth(best[1])[1] == 0:
        return None
    kept = next((f for f in best[1] if f.key and f.told in _KEPT_BACK), None)
    fact = kept or next(f for f in best[1] if f.key)
    how = "opened what was kept back" if kept else "opened a key fact"
    return Moment(best[0].turn, best[0].said, f"{how}: {fact.text}")


def _decided(seen: _Seen) -> Moment | None:
    """The order that brought a key result: an abnormal one first, a test before an examination."""
    held = {one.id: one for one in seen.case.findings if one.key and one.id in seen.reading.released}
    orders = [(order, held[id]) for order in seen.reading.placed for id in order.findings if id in held]
    if not orders:
        return None
    order, found = max(orders, key=lambda pair: (bool(pair[1].abnormal), pair[1].kind != "examination"))
    return Moment(order.turn, order.name, f"brought a key result: {found.name}: {found.result}")


def _safety_done(seen: _Seen) -> list[Moment]:
    gold = gold_standard(seen.case)
    actions = {action.id: action for action in seen.case.safety or ()}
    if not gold.safety or not actions:
        return []
    found: dict[str, Moment] = {}
    spoken = [(one.turn, one.said) for one in seen.reading.exchanges]
    for turn, text in (*spoken, *((0, act) for act in acts_of(seen.reading))):
        for id in gold.safety.named([text], advice=True):
            found.setdefault(id, Moment(turn, text, actions[id].what))
    return list(found.values())


def _named_steps(seen: _Seen) -> Iterator[Moment]:
    for step in sorted(seen.steps, key=lambda step: not step.critical):
        if step.whole and step.quotes:
            yield Moment(0, step.quotes[0], f"a decisive step: {step.what}")


def _again(seen: _Seen) -> Iterator[Moment]:
    """What to look at again, the gravest first."""
    yield from _harm(seen)
    plan = "; ".join(plan_of(seen.reading)[:_LINES])
    for step in seen.steps:
        if step.critical and step.met and not step.whole:
            left = "; ".join(part for part in step.parts if part not in step.met)
            said = f"{len(step.met)} of {len(step.parts)} parts of a critical step; not recognized: {left}"
            yield Moment(0, step.quotes[0], said)
    for step in seen.steps:
        if step.critical and not step.met:
            yield Moment(0, plan or "(no plan)", f"a critical step was not recognized: {step.what}")
    for turn, heard, said in unanswered_cues(seen.reading.exchanges):
        next_words = f'then: "{_clipped(said)}"' if said else "the conclusion came next"
        yield Moment(turn, heard, f"a feeling was voiced; {next_words}. No rule judges empathy: look back.")
    for one in asked_again(seen.reading.exchanges):
        yield Moment(one.turn, one.said, "asked again what had been answered")
    for one in seen.reading.exchanges:
        if asks_several(one.said):
            yield Moment(one.turn, one.said, "several questions at once: one answer may be lost")


def _harm(seen: _Seen) -> Iterator[Moment]:
    gold, acts = gold_standard(seen.case), acts_of(seen.reading)
    if gold.unsafe:
        why = {one.name: one.why for one in forbidden(seen.case)}
        turns = {order.name: order.turn for order in seen.reading.placed}
        for name, quote in gold.unsafe.named(acts).items():
            yield Moment(turns.get(quote, 0), quote, f"{name} would harm here: {why[name]}")


def forbidden(case: Case) -> tuple[Contraindicated, ...]:
    """The orders and acts that a case says should not be, tests first."""
    work, plan = case.workup, case.management
    return (*(work.contraindicated if work else ()), *(plan.contraindicated if plan else ()))


def _next_time(seen: _Seen) -> list[str]:
    """Two or three concrete things to do, of different kinds while there are any."""
    kinds = [
        list(lines)
        for lines in (_avoid(seen), _plan(seen), _order(seen), _ask(seen), _care(seen), _talk(seen))
    ]
    found: list[str] = []
    while len(found) < NEXT and any(kinds):
        for lines in kinds:
            if lines and len(found) < NEXT:
                found.append(lines.pop(0))
    return found


def _avoid(seen: _Seen) -> Iterator[str]:
    for one in _harm(seen):
        yield f"Leave out what harms: {_clipped(one.effect)}"


def _plan(seen: _Seen) -> Iterator[str]:
    for step in seen.steps:
        if step.critical and not step.whole:
            dose = f" ({step.dose})" if step.dose else ""
            yield f"Say in the plan: {_bare(step.told)}{dose}"


def _order(seen: _Seen) -> Iterator[str]:
    waiting = set(seen.reading.pending())
    for one in seen.case.findings:
        if one.key and one.id in waiting:
            yield f"Wait for what you ordered: {one.name} had not come back"
    for one in seen.case.findings:
        if one.key and one.id not in seen.reading.released and one.id not in waiting:
            yield f"Before you conclude, get: {one.name} (it showed: {_clipped(one.result)})"


def _ask(seen: _Seen) -> Iterator[str]:
    for fact in seen.case.facts:
        if fact.key and fact.id not in seen.reading.released and fact.known_by != "record":
            yield f'Ask "{canonical_question(fact.topic)}" (to hear: {_bare(fact.text)})'


def _care(seen: _Seen) -> Iterator[str]:
    done = {one.effect for one in _safety_done(seen)}
    for action in seen.case.safety or ():
        if action.what not in done:
            yield f"Think of safety: {_clipped(action.what)}"


def _talk(seen: _Seen) -> Iterator[str]:
    advice = {
        "introduction": "Begin with your name and your role",
        "summary": "Sum up what you have heard before you go on, and ask whether it is right",
        "understanding": "Check that the plan is understood: ask to hear it in the patient's own words",
        "closing": "Close aloud: what happens next, when to come back, any questions",
    }
    for name, words in advice.items():
        found = seen.talk.get(name)
        if found and found.of and not found.met:
            yield words
