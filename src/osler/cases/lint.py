"""The case linter: rules for a sound case, each reporting what is wrong and where.

`strict` is for cases written for us: what an import cannot know (management, a teaching plan, spoken wording
of the facts) must then be present. Without it a missing section is only noted, as `not_in_case`. Some rules
are errors in our own library and only warnings in a case written by a model.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal, NamedTuple

from osler.cases.coherence import incoherent
from osler.cases.expected_findings import unwritten
from osler.cases.importers.demographics import FIRST_PERSON_FROM_YEARS as FIRST_PERSON_FROM_YEARS
from osler.cases.importers.leaks import plain, plain_names
from osler.cases.importers.sentences import is_negative, sentences
from osler.cases.lint_plan import management, safety, teaching
from osler.cases.lint_problem import Level, Problem, of_our_own
from osler.cases.lint_shelf import guideline, shelf, sources
from osler.cases.made_up import made_up
from osler.cases.model import Case, Fact
from osler.errors import BadInput

TO_WRITE: Final = "TO WRITE"


def unfinished(case: Case, strict: bool) -> Iterator[Problem]:
    """An error for each place that still holds the placeholder, in the case's own order."""
    for where in _places(case.model_dump(mode="json"), ""):
        yield Problem("to-write", "error", "is still to be written", where)


def _places(value: object, where: str) -> Iterator[str]:
    if isinstance(value, str):
        if TO_WRITE in value:
            yield where
    elif isinstance(value, Mapping):
        for key, child in value.items():
            yield from _places(child, f"{where}.{key}" if where else str(key))
    elif isinstance(value, list):
        for number, child in enumerate(value):
            name = child["id"] if isinstance(child, Mapping) and "id" in child else number
            yield from _places(child, f"{where}[{name}]")


__all__ = ["CANARY", "Level", "Problem", "answer_names", "for_machines", "lint", "unmarked", "visible"]

CANARY: Final = (
    "# Osler library canary bca7b820-6aad-44df-8854-0651f7bad728: this file must not be in training data"
)
_FEWEST_KEY_FACTS, _MOST_KEY_FACTS = 4, 8
_ICD10: Final = re.compile(r"[A-TV-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4})?")
_LOINC: Final = re.compile(r"\d{1,7}-\d")
_DENIED_BEFORE: Final = re.compile(
    r"\b(?:no|not|without|denies|denied|negative for|excludes?|excluded|rules? out|ruled out|never|nor|"
    r"absent|unlikely|against|rather than)\b[^.;:]{0,60}$",
    re.IGNORECASE,
)
_FIRST_PERSON: Final = re.compile(r"\b(?:I|I'm|I've|my|we|our)\b")
_HINT_WORD_LENGTH: Final = 5


class Text(NamedTuple):
    """A text that some seat may see.

    `ordered` marks a name that the doctor has to say first, `of_others` what is told of other people.
    """

    where: str
    text: str
    denied: bool = False
    ordered: bool = False
    of_others: bool = False


def lint(case: Case, *, strict: bool = False) -> tuple[Problem, ...]:
    """Every problem of a case, errors first. `strict` applies the standards of our own library."""
    problems = [problem for rule in _RULES for problem in rule(case, strict)]
    return tuple(sorted(problems, key=lambda problem: problem.level))


def answer_names(case: Case) -> tuple[str, ...]:
    """All names of the answer, longest first: those of the diagnosis and the accepted answers."""
    task = case.task
    names = [task.options[task.answer] if task.options and task.kind == "choice" else task.answer]
    names += task.accepts
    if case.diagnosis:
        names += [case.diagnosis.name, *case.diagnosis.synonyms]
    return tuple(sorted({name for name in names if len(name) > 1}, key=lambda name: (-len(name), name)))


def visible(case: Case) -> Iterator[Text]:
    """Every text of a case that some seat may see."""
    yield Text("opening.door_note", case.opening.door_note)
    yield Text("opening.words", case.opening.words)
    for fact in case.facts:
        of_others = fact.topic == "family"
        yield Text(f"facts[{fact.id}].text", fact.text, fact.absent, of_others=of_others)
        if fact.spoken:
            yield Text(f"facts[{fact.id}].spoken", fact.spoken, fact.absent, of_others=of_others)
    for finding in case.findings:
        yield Text(f"findings[{finding.id}].name", finding.name, ordered=True)
        yield Text(f"findings[{finding.id}].result", finding.result)
        for alias in finding.aliases:
            yield Text(f"findings[{finding.id}].aliases", alias, ordered=True)


_OF_OTHERS: Final = (
    "names the answer ({}) as a relative's illness; if that is meant, accept it with a line under "
    'provenance.flags: "accepted: {}: NAME: REASON"'
)
_ACCEPTED: Final = re.compile(r"accepted: (facts\[[^\]\s]{1,80}\]): *([^:\s][^:]{0,80}): *(\S.*)")


def _accepted(case: Case) -> frozenset[str]:
    """The facts about relatives that a person has accepted, by name and with a reason."""
    result = (_ACCEPTED.fullmatch(flag) for flag in case.provenance.flags)
    return frozenset(match[1] for match in result if match)


def _leaks(case: Case, strict: bool) -> Iterator[Problem]:
    names = answer_names(case)
    accepted = _accepted(case)
    for place in visible(case):
        for name in names:
            how = _named(name, place.text)
            if how is None:
                continue
            # A test may be named after what it looks for ("malaria film"), but no one sees the name unless
            # they order it.
            doubt = "answer-in-name" if place.ordered else "answer-denied"
            only_doubt = place.ordered or place.denied or how == "denied"
            if not only_doubt and place.of_others:
                if place.where.partition(".")[0] not in accepted:
                    yield Problem(
                        "answer-leak",
                        "warning",
                        _OF_OTHERS.format(name, place.where.partition(".")[0]),
                        place.where,
                    )
                break
            level: Level = "warning" if only_doubt else "error"
            code = doubt if only_doubt else "answer-leak"
            yield Problem(code, level, f"names the answer ({name})", place.where)
            break


def _named(name: str, text: str) -> Literal["named", "denied"] | None:
    """Whether a text names something, and if so whether only under negation.

    Short capital names (TIA, MS) are matched as written; all others as plain words.
    """
    if len(name) <= _HINT_WORD_LENGTH and name.isupper():
        pattern = re.compile(rf"\b{re.escape(name)}\b")
        pieces = [piece[: match.start()] for piece in sentences(text) if (match := pattern.search(piece))]
    else:
        parted = [piece.partition(f" {wanted} ") for wanted in plain_names(name) for piece in _told(text)]
        pieces = [head for head, middle, _ in parted if middle]
    if not pieces:
        return None
    return "denied" if all(_DENIED_BEFORE.search(head.rstrip()) for head in pieces) else "named"


@lru_cache(maxsize=2)  # every name of an answer is looked up in the same text in turn
def _told(text: str) -> tuple[str, ...]:
    """The sentences of a text in plain words, each padded with a space on both sides."""
    return tuple(f" {plain(piece)} " for piece in sentences(text))


def _hints(case: Case, strict: bool) -> Iterator[Problem]:
    names = " ".join(plain(name) for name in answer_names(case))
    telling = {word for word in names.split() if len(word) >= _HINT_WORD_LENGTH}
    told = sorted(telling & set(plain(case.id.replace("_", " ").replace("-", " ")).split()))
    if told:
        yield Problem("id-hints", "error", f"the id hints at the answer ({', '.join(told)})", "id")
    if case.title and any(_named(name, case.title) == "named" for name in answer_names(case)):
        # Titles are for educators and no seat sees them, but a list of cases on screen shows them.
        yield Problem("title-hints", "warning", "the title names the answer", "title")
    if re.search(r"\d{3,}", case.id) and strict:
        yield Problem("id-order", "warning", "a number in the id may hint at an order", "id")


def _opening(case: Case, strict: bool) -> Iterator[Problem]:
    for name, text in (("door_note", case.opening.door_note), ("words", case.opening.words)):
        if not text.strip():
            yield Problem("empty", "error", "says nothing", f"opening.{name}")
    if not case.task.question.strip() or not case.task.answer.strip():
        yield Problem("empty", "error", "a task needs a question and an answer", "task")
    young = case.age_years is not None and case.age_years < FIRST_PERSON_FROM_YEARS
    if young and case.speaker == "patient":
        yield Problem("child-speaks", "error", "a child this young speaks through a carer", "speaker")
    for fact in case.facts:
        if young and fact.known_by == "patient":
            level: Level = "error" if strict else "warning"
            yield Problem("child-knows", level, "a carer must know this", f"facts[{fact.id}].known_by")
        elif strict and not _speaker_knows(case, fact):
            message = f"the speaker ({case.speaker}) does not know this"
            yield Problem("speaker-knows", of_our_own(case), message, f"facts[{fact.id}].known_by")


def _speaker_knows(case: Case, fact: Fact) -> bool:
    """Whether the case's speaker can know a fact: not one known only to another person.

    A fact known to a witness or found in the records passes: the witness may be present, and records can be
    looked up.
    """
    others = ("parent", "carer") if case.speaker == "patient" else ("patient",)
    return fact.known_by not in others


def _facts(case: Case, strict: bool) -> Iterator[Problem]:
    level: Level = "error" if strict else "warning"
    if not any(fact.key for fact in case.facts):
        yield Problem("no-key-facts", level, "no fact is marked as key", "facts")
    if not any(fact.absent for fact in case.facts):
        yield Problem("no-negatives", level, "no explicit negative is recorded", "facts")
    if strict:
        yield from _history(case)
    doubled = Counter(plain(fact.text) for fact in case.facts)
    for fact in case.facts:
        where = f"facts[{fact.id}]"
        if not fact.text.strip():
            yield Problem("empty", "error", "says nothing", f"{where}.text")
        elif doubled[plain(fact.text)] > 1:
            yield Problem("doubled", "warning", "another fact says the same", f"{where}.text")
        if is_negative(fact.text) and not fact.absent:
            yield Problem(
                "negative-unmarked", "warning", "is a negative that is not marked", f"{where}.absent"
            )
        if strict and not fact.spoken:
            yield Problem("unspoken", "warning", "no words are given for saying it", f"{where}.spoken")
        if strict and _FIRST_PERSON.search(fact.text):
            yield Problem("first-person", "warning", "states a fact in the first person", f"{where}.text")


def _history(case: Case) -> Iterator[Problem]:
    """The requirements on the history in a case of our own library."""
    keys = sum(fact.key for fact in case.facts)
    if keys and not _FEWEST_KEY_FACTS <= keys <= _MOST_KEY_FACTS:
        message = f"{keys} facts are key; {_FEWEST_KEY_FACTS} to {_MOST_KEY_FACTS} are usual"
        yield Problem("key-facts", "warning", message, "facts")
    for topic in ("ideas", "concerns", "expectations"):
        if not any(fact.topic == topic for fact in case.facts):
            yield Problem("no-perspective", of_our_own(case), f"nobody says anything about {topic}", "facts")
    if all(fact.believed_truly for fact in case.facts):
        yield Problem("no-false-belief", "warning", "nothing that is believed is mistaken", "facts")


def _unwritten(case: Case, strict: bool) -> Iterator[Problem]:
    """Findings that the diagnosis makes likely, so that no player may deny them, but that the case omits."""
    if strict:
        for finding in unwritten(case):
            message = f"the diagnosis makes this likely, and no text says it: {finding.name} ({finding.id})"
            yield Problem("unwritten", of_our_own(case), message, "findings" if finding.order else "facts")


def _findings(case: Case, strict: bool) -> Iterator[Problem]:
    if not any(finding.key for finding in case.findings):
        level: Level = "error" if strict else "warning"
        yield Problem("no-key-findings", level, "no finding is marked as key", "findings")
    names = Counter(
        name for f in case.findings for name in {plain(called) for called in (f.name, *f.aliases)} if name
    )
    for finding in case.findings:
        where = f"findings[{finding.id}]"
        if not finding.result.strip() or not finding.name.strip():
            yield Problem("empty", "error", "needs a name and a result", where)
        for called in (finding.name, *finding.aliases):
            if _LOINC.fullmatch(called):
                yield Problem("loinc", "error", "codes are not kept as names", f"{where}.aliases")
            if strict and names[plain(called)] > 1:
                yield Problem("ambiguous", "warning", f"{called!r} names more than one finding", where)


def _workup(case: Case, strict: bool) -> Iterator[Problem]:
    if case.workup is None:
        return
    ids = {finding.id for finding in case.findings}
    groups = (*case.workup.required, case.workup.useful)
    for n, group in enumerate(groups):
        where = f"workup.required[{n}]" if n < len(case.workup.required) else "workup.useful"
        if not group and where != "workup.useful":
            yield Problem("empty", "error", "a required group is met by nothing", where)
        for ident in sorted(set(group) - ids):
            yield Problem("not-a-finding", "error", f"{ident} is not a finding", where)
    if not case.workup.required:
        yield Problem("empty", "error", "nothing is required", "workup.required")
    required = {ident for group in case.workup.required for ident in group}
    for finding in case.findings:
        if finding.key and finding.id not in required:
            yield Problem(
                "key-not-required", "warning", "is key but in no required group", f"findings[{finding.id}]"
            )


def _diagnosis(case: Case, strict: bool) -> Iterator[Problem]:
    if case.diagnosis is None:
        return
    code = case.diagnosis.icd10
    if code is not None and not _ICD10.fullmatch(code):
        yield Problem(
            "icd10", "error", f"{code!r} does not have the shape of an ICD-10 code", "diagnosis.icd10"
        )
    if strict and not case.diagnosis.alternatives:
        yield Problem("no-alternatives", "error", "no other diagnosis is weighed", "diagnosis.alternatives")
    for n, other in enumerate(case.diagnosis.alternatives):
        if other.must_not_miss and not other.discriminators:
            message = "must not be missed, but nothing tells it apart"
            yield Problem("no-discriminator", "error", message, f"diagnosis.alternatives[{n}]")


def _provenance(case: Case, strict: bool) -> Iterator[Problem]:
    provenance = case.provenance
    if strict and not provenance.sources:
        yield Problem("no-sources", "error", "names no textbook or guideline", "provenance.sources")
    if strict and not provenance.author:
        yield Problem("no-author", "error", "names no author", "provenance.author")
    yield from sources(provenance.sources, "error")
    yield from guideline(case, strict)


def _shelf(case: Case, strict: bool) -> Iterator[Problem]:
    if strict or case.shelf is not None:
        yield from shelf(case, answer_names(case))


def _sections(case: Case, strict: bool) -> Iterator[Problem]:
    for name in ("diagnosis", "workup", "management", "teaching", "safety"):
        if getattr(case, name) is None:
            level: Level = "error" if strict and name != "safety" else "warning"
            yield Problem("not_in_case", level, "the case does not have this section", name)
    for name, value in (("age_years", case.age_years), ("sex", case.sex), ("setting", case.setting)):
        if value is None and (strict or name != "setting"):
            yield Problem("not_in_case", "warning", "the case does not say", name)


def _coherence(case: Case, strict: bool) -> Iterator[Problem]:
    """Contradictions in a made-up case, which nobody read; a person may break a rule rightly."""
    if made_up(case):
        yield from incoherent(case)


def for_machines(case: Case) -> bool:
    """Whether a case is made up and unfit for learners: it has errors by the lint of our own library."""
    return made_up(case) and any(problem.level == "error" for problem in lint(case, strict=True))


def unmarked(folder: Path) -> tuple[Problem, ...]:
    """Library files whose first line lacks the canary that identifies them in a training set.

    Raises `BadInput` where a file cannot be read.
    """
    result = []
    for path in sorted(folder.glob("*.yaml")):
        try:
            with path.open(encoding="utf-8") as file:
                first = file.readline()
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"cannot be read: {error}", where=path.name) from error
        if first.rstrip("\r\n") != CANARY:
            result.append(Problem("no-canary", "error", f"must begin with the line {CANARY!r}", path.name))
    return tuple(result)


_RULES: Final[tuple[Callable[[Case, bool], Iterator[Problem]], ...]] = (
    unfinished,
    _leaks,
    _hints,
    _opening,
    _facts,
    _findings,
    _unwritten,
    _workup,
    _diagnosis,
    management,
    safety,
    teaching,
    _provenance,
    _shelf,
    _sections,
    _coherence,
)
