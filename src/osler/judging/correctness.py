"""The correctness of the answer to the case's task, and the chance level of guessing."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from osler.cases.model import Case, Task
from osler.judging.diagnosis.judged import Judged, Word, judged
from osler.judging.diagnosis.support import Record
from osler.judging.scores import NEEDS_A_JUDGE, NO_ANSWER, NOT_IN_CASE, QUOTE, Json, Score

_WORD: Final = re.compile(r"\w+")
_KEYED: Final = re.compile(
    r"^\W{0,5}(?:option|answer|choice)?\W{0,5}(\w{1,3})\s{0,3}(?:[).:\]-]{1,3}(.*))?$",
    re.DOTALL | re.IGNORECASE,
)
_TOLD: Final = {"opening", "facts", "findings", "diagnosis", "task", "setting"}


class Answered(NamedTuple):
    """The score of an answer, and the verdict in a word if it was judged as a diagnosis."""

    score: Score
    verdict: Word | None = None

    @property
    def counting_unsupported(self) -> Score:
        """The score if an answer is also right of which the case does not bear out all."""
        if self.verdict is None:
            return self.score
        return Score(float(bool(self.score.value) or self.verdict == "narrower_unsupported"))

    def called(self, verdict: Word) -> Score:
        """Whether the answer was wrong in this way; unscored if it was not judged as a diagnosis."""
        if self.verdict is None:
            why = self.score.reason
            unsaid = self.score.value is None or why == NO_ANSWER
            return Score(None, why if unsaid else NOT_IN_CASE)
        return Score(float(self.verdict == verdict))


@lru_cache(maxsize=512)
def _record(text: str) -> Record:
    return Record(text)


def record_of_case(case: Case) -> Record:
    """The text of a case that may bear out an answer: history, findings, results, reference, alternatives."""
    return _record(case.model_dump_json(include=_TOLD))


def correct(case: Case, final: Json | None, options_shown: bool) -> Score:
    """Score the answer 1 or 0, or `None` if no rule can decide. No conclusion scores 0, with the reason."""
    return answered(case, final, options_shown).score


def answered(case: Case, final: Json | None, options_shown: bool) -> Answered:
    """Score the answer as `correct` does, and give the verdict on its diagnosis."""
    if final is None:
        return Answered(Score(0.0, NO_ANSWER))
    task, diagnosis, answer = case.task, str(final["diagnosis"]), final.get("answer")
    given = str(answer) if answer else diagnosis
    quote = (f"{given} | {diagnosis}" if answer else diagnosis)[:QUOTE]
    if task.kind == "choice":
        return _choice(case, given, diagnosis, options_shown, quote)
    if task.kind == "diagnosis":
        return _as_diagnosis(case, diagnosis, task.answer, _wordings(case), quote)
    right = {plain(wording) for wording in (task.answer, *task.accepts)}
    if plain(given) in right or plain(diagnosis) in right:
        return Answered(Score(1.0, "an accepted wording", (quote,)))
    return Answered(Score(None, NEEDS_A_JUDGE, (quote,)))


def chance_level(case: Case, options_shown: bool) -> float | None:
    """The expected score of guessing: the share of right options if options are shown, else `None`."""
    options = case.task.options
    if case.task.kind != "choice" or not options or not options_shown:
        return None
    return sum(_same_option(case.task, key) for key in options) / len(options)


@lru_cache(maxsize=8192)
def plain(text: str) -> str:
    """Normalize a text to lower-case words without punctuation: "Yes." is "yes"."""
    return " ".join(_WORD.findall(text.casefold()))


def chosen(task: Task, given: str) -> str | None:
    """The key of the one option an answer names by its key, its text, or both in agreement."""
    options = task.options or {}
    keys = {key.casefold(): key for key in options}
    if (bare := plain(given)) in keys:
        return keys[bare]
    named = [key for key, text in options.items() if plain(text) == bare]
    if named:
        return named[0] if all(plain(options[key]) == bare for key in named) else None
    keyed = _KEYED.match(given[:500])
    if keyed and (key := keys.get(keyed[1].casefold())) is not None:
        said = plain(keyed[2] or "")
        others = [text for other, text in options.items() if other != key and plain(text) == said]
        if not others or plain(options[key]) == said:
            return key
    return None


def _choice(case: Case, given: str, diagnosis: str, options_shown: bool, quote: str) -> Answered:
    task = case.task
    key = chosen(task, given) or (chosen(task, diagnosis) if options_shown or given is diagnosis else None)
    if key is not None:
        return Answered(Score(float(_same_option(task, key)), f"chose option {key}", (quote,)))
    if options_shown:
        return Answered(Score(0.0, "named none of the options", (quote,)))
    answer = (task.options or {})[task.answer]
    about_diagnosis = case.diagnosis is not None and judged(answer, case.diagnosis.name).right
    wordings = (*task.accepts, *_wordings(case)) if about_diagnosis else task.accepts
    choice = _as_diagnosis(case, diagnosis, answer, wordings, quote)
    if choice.score.value or about_diagnosis:
        return choice
    return Answered(Score(None, NEEDS_A_JUDGE, (quote,)))


def _same_option(task: Task, key: str) -> bool:
    """Whether an option is the answer or, in a list with duplicates, has the same text."""
    options = task.options or {}
    return key == task.answer or plain(options[key]) == plain(options[task.answer])


def _wordings(case: Case) -> tuple[str, ...]:
    """Other right wordings: those the task accepts, and the diagnosis's synonyms if it asks for that."""
    diagnosis = case.diagnosis
    same = diagnosis is not None and (
        case.task.kind == "choice" or plain(diagnosis.name) == plain(case.task.answer)
    )
    return (*case.task.accepts, *(diagnosis.synonyms if diagnosis and same else ()))


def _as_diagnosis(case: Case, diagnosis: str, answer: str, accepts: tuple[str, ...], quote: str) -> Answered:
    result: Judged = judged(diagnosis, answer, accepts, case=record_of_case(case))
    return Answered(Score(float(result.right), f"{result.verdict}: {result.why}", (quote,)), result.verdict)
