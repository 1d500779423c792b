"""Generating sibling questions without a model: a step's finding again, in a patient with another disease.

A step states a finding. Its sibling asks in which of four diseases that finding is most common: it needs the
same knowledge as the step, and contains neither the case's answer nor anything like it. Only the built-in
knowledge can be asked about; it is approximate, so the right disease must usually bring the finding and the
others seldom. Anything it does not hold is not asked.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from random import Random
from typing import Final, NamedTuple, get_args

from osler.authoring.preparing.checks import affirmed
from osler.cases.answers import answer_of, answers_of
from osler.cases.generator.making import GROWN_UP_YEARS, person
from osler.cases.generator.wording import result_words, wording, writer
from osler.cases.importers.leaks import plain
from osler.cases.model import Case, Sex, Sibling, SocraticStep
from osler.knowledge.conditions import Condition, knowledge, name_key
from osler.knowledge.findings import Finding, finding
from osler.text.key_points import telling
from osler.text.tokens import unaccented

FEWEST: Final = 2
"""A step has one sibling; it gets a second only where the case would have fewer than this."""
NONE_TO_ASK: Final = (
    "no sibling questions: of what the steps say, our knowledge holds nothing that could be asked; "
    "learning gain is unscored"
)
MOSTLY, SELDOM = 0.7, 0.06
"""The minimum probability of the finding in the right disease, and the maximum in a wrong one."""
_FEW: Final = 40
"""A finding that more diseases than this bring more than seldom, such as tiredness, discriminates too little.
"""
_USUAL: Final = 0.3
"""Below this factor for age or sex a disease is unusual in a person, and could be ruled out by that alone."""
_NEAREST: Final = 24
_OPTIONS: Final = "ABCD"
_WRONG: Final = len(_OPTIONS) - 1
_BEGINNING: Final = 5
_GROWN_UPS: Final = tuple(map(float, range(GROWN_UP_YEARS, 91)))
_CHILDREN: Final = (1 / 12, 0.25, 0.5, 1.0, *map(float, range(2, GROWN_UP_YEARS)))
_SEXES: Final[tuple[Sex, ...]] = get_args(Sex)
_QUESTION: Final = "In which of these is that found most often?"


class _Person(NamedTuple):
    age_years: float
    sex: Sex


def siblings(case: Case, steps: Sequence[SocraticStep]) -> tuple[Sibling, ...]:
    """Sibling questions on findings that both the steps and the case state, in the order of the steps.

    None where our knowledge has nothing on them. Pure.
    """
    there = affirmed("\n".join((*(fact.text for fact in case.facts), *(f.result for f in case.findings))))
    answers, asked = _answers(case), set[str]()
    by_step: list[list[Sibling]] = []
    for n, step in enumerate(steps):
        points = _telling_apart((affirmed(step.summary) & there) - asked)
        made = {item.id: _sibling(item, n, answers, f"{case.id}/sibling/{item.id}") for item in points}
        by_step.append([sibling for sibling in made.values() if sibling is not None])
        asked.update(made)
    first = [found[0] for found in by_step if found]
    more = [sibling for found in by_step for sibling in found[1:]][: max(0, FEWEST - len(first))]
    return tuple(sorted((*first, *more), key=lambda sibling: sibling.step))


def _answers(case: Case) -> tuple[str, ...]:
    """The answer in every wording of the case and the knowledge, without its most common words."""
    own = knowledge().condition(case.diagnosis.name if case.diagnosis is not None else answer_of(case))
    names = (*answers_of(case), *((own.name, *own.synonyms) if own else ()))
    return tuple(dict.fromkeys(map(name_key, names)))


def _telling_apart(names: Set[str]) -> list[Finding]:
    """The discriminating findings, which few diseases bring, most discriminating first."""
    known = knowledge()
    by = {name: int((known.present[:, known.column[name]] > SELDOM).sum()) for name in names}
    return [finding(name) for name in sorted(by, key=lambda name: (by[name], name)) if by[name] <= _FEW]


def _sibling(item: Finding, step: int, answers: Sequence[str], seed: str) -> Sibling | None:
    """The question on a finding, the same for the same seed; `None` where no fair question is possible."""
    known = knowledge()
    rng = Random(seed)  # noqa: S311 - simulation, not secrecy
    often = known.present[:, known.column[item.id]]
    rights = [known.conditions[row] for row in (often >= MOSTLY).nonzero()[0]]
    rng.shuffle(rights)
    for right in rights:
        who = _somebody(right, item, rng)
        if who is None:
            continue
        stem = _stem(item, who, rng)
        wrong = [
            other
            for other in _wrong(item, right, who, rng)
            if not _echoes(stem, other) and not any(_echoes(answer, other) for answer in answers)
        ]
        gives_away = any(_echoes(answer, f"{stem} {right.name}") for answer in answers)
        if len(wrong) >= _WRONG and not gives_away and not _echoes(stem, right.name):
            return _keyed(stem, right.name, wrong, step, rng)
    return None


def _somebody(right: Condition, item: Finding, rng: Random) -> _Person | None:
    """A person in whom neither the finding nor the disease is unusual, an adult if possible."""
    for ages in (_GROWN_UPS, _CHILDREN):
        people = (_Person(age, sex) for age in ages for sex in _SEXES)
        can = [who for who in people if wording(item.id).can_occur(*who) and _usual(right, who)]
        if can:
            return rng.choice(can)
    return None


def _usual(condition: Condition, who: _Person) -> bool:
    """Whether a person's age and sex are compatible with a disease."""
    ages = [band.factor for band in condition.ages if band.low <= who.age_years < band.high]
    of_age = max(ages, default=0.0 if condition.ages else 1.0)
    return min(of_age, condition.sex.get(who.sex, 1.0)) >= _USUAL


def _stem(item: Finding, who: _Person, rng: Random) -> str:
    """The stem: the person, the finding, and the question."""
    words, write = wording(item.id), writer(who.sex, rng)
    told = words.text or f"{item.order}: {result_words(words, who.age_years, there=True)}"
    return f"Another patient: {person(*who).lower()}. {write(told)} {_QUESTION}"


def _wrong(item: Finding, right: Condition, who: _Person, rng: Random) -> list[str]:
    """Distractors: diseases that seldom bring the finding, among those nearest to the right one, shuffled."""
    known = knowledge()
    often = known.present[:, known.column[item.id]]
    rows = [row for row in (often <= SELDOM).nonzero()[0] if _usual(known.conditions[row], who)]
    near = known.present @ known.present[known.conditions.index(right)]
    names = [known.conditions[row].name for row in sorted(rows, key=lambda row: -near[row])[:_NEAREST]]
    rng.shuffle(names)
    return names


def _keyed(stem: str, right: str, wrong: Sequence[str], step: int, rng: Random) -> Sibling:
    """The question with its options.

    The number of options shorter than the right one is random, and so is its position, so that neither gives
    it away.
    """
    shorter = rng.randint(0, _WRONG)
    short = [name for name in wrong if len(name) < len(right)]
    long = [name for name in wrong if len(name) >= len(right)]
    wanted = [*short[:shorter], *long[: _WRONG - shorter]]
    names = [right, *dict.fromkeys((*wanted, *wrong))][: len(_OPTIONS)]
    rng.shuffle(names)
    options = dict(zip(_OPTIONS, names, strict=True))
    return Sibling(stem=stem, options=options, answer=_OPTIONS[names.index(right)], step=step)


def _echoes(words: str, text: str) -> bool:
    """Whether a distinctive word of one text, or the beginning of a long one, occurs in another."""
    text, words = unaccented(text), unaccented(words)
    seen, forms = plain(text), telling(text)
    return any(
        word in forms or (len(word) > _BEGINNING and plain(word)[:_BEGINNING] in seen)
        for word in telling(words)
    )
