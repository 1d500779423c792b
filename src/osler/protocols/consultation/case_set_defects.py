"""Defects of a consultation case set as a measuring instrument, each with the case and the place in it.

An `error` gives the answer away or cannot be played; a `warning` may do so, or is for a person to judge.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from osler.cases.lint import lint
from osler.cases.model import Case
from osler.core.events import Released, Said
from osler.core.trace import Trace
from osler.errors import Status
from osler.judging.correctness import correct, plain
from osler.judging.diagnosis.judged import judged
from osler.knowledge.formulary import formulary
from osler.protocols.consultation.judgement import Judgement
from osler.stats.intervals import Estimate
from osler.studies.audit import Flaw

TOLD_ELSEWHERE: Final = "told-elsewhere"
_TOLD_ELSEWHERE: Final = "another fact tells this key fact too, so no one needs to ask for it"
_LEAKS: Final = frozenset({"answer-leak", "answer-in-name", "answer-denied", "id-hints", "title-hints"})
_IMPORTED: Final = ("leak", "given", "near")

Looked = Literal["nothing", "opening", "task.options", "findings", "facts"]
LOOKS_AT: Final[dict[str, Looked]] = {
    "null": "nothing",
    "always-conclude": "nothing",
    "parrot": "nothing",
    "repeat-everything": "nothing",
    "opening-only": "opening",
    "options-first": "task.options",
    "options-longest": "task.options",
    "options-most-specific": "task.options",
    "availability-only": "findings",
    "first-told": "facts",
}
"""The one thing that each trivial player and probe looks at."""
_GIVES: Final[dict[Looked, str]] = {
    "nothing": "trivial play beats chance",
    "opening": "the opening alone tells more than chance",
    "task.options": "the form of the options gives the answer away",
    "findings": "which tests exist gives the answer away",
    "facts": "the order of the facts gives the answer away",
}


def leaks(case: Case) -> Iterator[Flaw]:
    """Yield the places where a case names its answer, as found by the linter and the importer, each once."""
    pairs = set[tuple[str, str]]()
    for problem in lint(case):
        if problem.code in _LEAKS and (problem.code, problem.where) not in pairs:
            pairs.add((problem.code, problem.where))
            own = problem.code == "answer-in-name" and _only_here(case, problem.where)
            yield Flaw(
                code=problem.code,
                level="error" if own else problem.level,
                cases=(case.id,),
                where=problem.where,
                message=f"{problem.message}, and no formulary has it" if own else problem.message,
            )
    for number, flag in enumerate(case.provenance.flags):
        if flag.partition(":")[0] in _IMPORTED:
            where = f"provenance.flags[{number}]"
            yield Flaw(code="import-flag", level="warning", cases=(case.id,), where=where, message=flag)


def _only_here(case: Case, where: str) -> bool:
    """Whether the answer is in the name of a test that only this case has. A test in the formulary can be
    ordered in any case ("malaria film") and so gives nothing away, and an alias is never shown; but a name is
    shown with its result."""
    names = {f"findings[{finding.id}].name": finding.name for finding in case.findings}
    return where in names and formulary().find(names[where]) is None


def unplayable(case: Case, trace: Trace, judgement: Judgement) -> Iterator[Flaw]:
    """Yield what even the oracle, who knows the answer, could not elicit or did not get scored as right."""
    released = {event.item for event in trace.of(Released)}
    heard = plain(" ".join(event.text for event in trace.of(Said) if event.by == "patient"))

    def flaw(where: str, message: str) -> Flaw:
        return Flaw(code="unplayable", level="error", cases=(case.id,), where=where, message=message)

    for fact in case.facts:
        if fact.key and fact.id not in released:
            missed = flaw(f"facts[{fact.id}]", "no question of the oracle's draws out this key fact")
            if plain(fact.spoken or fact.text) in heard:
                again = {"code": TOLD_ELSEWHERE, "level": "warning", "message": _TOLD_ELSEWHERE}
                missed = missed.model_copy(update=again)
            yield missed
    for finding in case.findings:
        if finding.key and finding.id not in released:
            yield flaw(f"findings[{finding.id}]", "no order of the oracle's yields this key finding")
    right = judgement.scores["correct"]
    if right.value != 1:
        how = "is not judged" if right.value is None else "counts as wrong"
        yield flaw("task", f"the right answer {how}: {right.reason}")
    if trace.outcome.status is not Status.COMPLETED:
        yield flaw("", f"the oracle could not finish: {trace.outcome.status}, {trace.outcome.reason}")


def misjudged(case: Case) -> Iterator[Flaw]:
    """Yield answers with a known verdict that the judge gets wrong.

    Known right: the answer in other wordings. Known wrong: every other option, every other diagnosis of the
    differential, and the answer hedged with one of them.
    """
    for given, where, right in _known_verdicts(case):
        shown = case.task.kind == "choice"
        verdict = correct(case, {"diagnosis": given, "answer": given if shown else None}, shown).value
        if verdict != float(right):
            code, how = ("judge-misses", "does not take") if right else ("judge-accepts", "takes")
            yield Flaw(
                code=code,
                level="warning",
                cases=(case.id,),
                where=where,
                message=f"the built-in judge {how} {given[:120]!r} as right",
            )


def _known_verdicts(case: Case) -> Iterator[tuple[str, str, bool]]:
    task = case.task
    if task.kind == "choice" and task.options:
        answer = task.options[task.answer]
        yield task.answer, "task.answer", True
        yield answer, "task.options", sum(text == answer for text in task.options.values()) == 1
        for key, text in task.options.items():
            if text.casefold() != answer.casefold():
                yield key, f"task.options[{key}]", False
        return
    for wording in (task.answer, f"{task.answer.upper()}."):
        yield wording, "task.answer", True
    if task.kind != "diagnosis" or case.diagnosis is None:
        return
    for n, synonym in enumerate(case.diagnosis.synonyms):
        yield synonym, f"diagnosis.synonyms[{n}]", True
    for n, other in enumerate(case.diagnosis.alternatives):
        where = f"diagnosis.alternatives[{n}]"
        if not judged(other.name, task.answer).right:
            yield f"{task.answer} or {other.name}", where, False
        yield other.name, where, False


def given_away(player: str, lift: Estimate, right: tuple[str, ...]) -> Iterator[Flaw]:
    """Yield a flaw if a player that should have no lift has one clear of zero. `right` are the cases that it
    answered correctly.

    An opening should tell something, though not everything, so a lift from it is only a warning.
    """
    looked: Looked = LOOKS_AT[player]
    if lift.low is not None and lift.low > 0:
        yield Flaw(
            code=player,
            level="warning" if looked == "opening" else "error",
            cases=right,
            where="" if looked == "nothing" else looked,
            message=f"{_GIVES[looked]}: {player} gains {lift.value:.1%} ({lift.low:.1%} to {lift.high:.1%})",
        )
