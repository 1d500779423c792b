"""Built-in proxy marks of a session, from words alone: `ets_proxy`, `msm_proxy` and `mps_proxy`.

They validate the instrument: silence must score lowest, and a lecture is not a dialogue. They are no evidence
about teaching and are never called ETS, MSM or MPS. Each is 1 + 9 times the mean of the shares below, from 1
to 10; a session whose tutor never spoke gets 1 on the first two.

    ets   rounds whose guidance asks; that take up what a student said in that round before it; that ask and
          tell neither a step's point nor the answer before students have. The answer in the first round: 2 at
          most
    msm   students ever addressed by name; how evenly; rounds that bring two or more of them together
    mps   rounds whose guidance breaks no rule of conduct; that name no wrong option as right. A breach of
          safety or ethics: 1
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from math import log
from statistics import fmean
from typing import Final

from osler.cases.importers.leaks import plain, plain_names
from osler.judging.scores import Score
from osler.protocols.ward_round.judge.session import Round, Session
from osler.text.conduct_rules import breach
from osler.text.key_points import says, telling

PROXIES: Final = ("ets_proxy", "msm_proxy", "mps_proxy")
VERSION: Final = "3"
SILENT: Final = "the tutor never spoke"
_SPAN: Final = 9
_GRAVE: Final = ("safety", "ethics")
_TAKEN_UP: Final = 2
"""The number of shared content words from which guidance counts as taking up what a student said."""
_TOGETHER: Final = re.compile(
    r"\b(?:each other|one another|the others?|all of you|the rest of you|as a group|do you (?:all )?agree"
    r"|who (?:agrees|disagrees|sees it differently)|compare)\b",
    re.IGNORECASE,
)


def proxies(session: Session) -> dict[str, Score]:
    """The three proxy marks, by name."""
    guided = [round_ for round_ in session.rounds if round_.guidance.strip()]
    return {
        "ets_proxy": _ets(session, guided),
        "msm_proxy": _msm(session, guided),
        "mps_proxy": _mps(session, guided),
    }


def _ets(session: Session, guided: Sequence[Round]) -> Score:
    if not guided:
        return Score(1.0, SILENT, (), (SILENT,))
    asks = _share("?" in round_.guidance for round_ in guided)
    takes_up = _share(_takes_up(round_) for round_ in guided)
    heard: list[str] = []
    leads: list[bool] = []
    missed: list[str] = []
    given_at: int | None = None
    for n, round_ in enumerate(session.rounds):
        heard += [spoken.text for spoken in round_.students]
        if round_.guidance.strip():
            by_students = " ".join(heard)
            answer = _names(round_.guidance, session.answer) and not _names(by_students, session.answer)
            point = any(
                says(round_.guidance, step.summary) and not says(by_students, step.summary)
                for step in session.steps
                if step.summary
            )
            question, taken = "?" in round_.guidance, _takes_up(round_)
            leads.append(question and not (answer or point))
            faults = {
                "asks nothing": not question,
                "takes up nothing that a student said": not taken,
                "names the answer before a student has": answer,
                "tells a step's point before a student has": point,
            }
            missed += (f"round {n + 1} {what}" for what, so in faults.items() if so)
            given_at = n if answer and given_at is None else given_at
        heard += [spoken.text for spoken in round_.asked]
    mark = _mark(asks, takes_up, _share(leads))
    if given_at == 0:
        return Score(min(mark, 2.0), "gave the answer in the first round", (), tuple(missed))
    rounds = len(guided)
    reason = f"of {_rounds(rounds)} with guidance {_of(asks, rounds)} asked, {_of(takes_up, rounds)} took up"
    reason += f" what a student said, {_of(_share(leads), rounds)} led on without telling"
    return Score(mark, reason, (), tuple(missed))


def _msm(session: Session, guided: Sequence[Round]) -> Score:
    names = session.students
    if not guided or not names:
        return Score(1.0, SILENT, (), (SILENT,))
    if len(names) == 1:
        return Score(None, "one student is no group")
    counts = [sum(_named(name, round_.guidance) for round_ in guided) for name in names]
    reached = _share(count > 0 for count in counts)
    total = sum(counts)
    shares = [count / total for count in counts if count] if total else []
    even = -sum(share * log(share) for share in shares) / log(len(names)) if shares else 0.0
    joined = [
        sum(_named(name, round_.guidance) for name in names) > 1
        or _TOGETHER.search(round_.guidance) is not None
        for round_ in guided
    ]
    missed = [
        f"{name} was {f'addressed by name {_times(count)}' if count else 'never addressed by name'}"
        for name, count in zip(names, counts, strict=True)
        if count < max(1, *counts)
    ]
    missed += (
        f"round {n} brought no two students together"
        for n, one in zip(_numbers(session), joined, strict=True)
        if not one
    )
    addressed = sum(count > 0 for count in counts)
    reason = f"{addressed} of {len(names)} students were addressed by name"
    reason += f"; {sum(joined)} of {_rounds(len(guided))} brought two or more together"
    return Score(_mark(reached, even, _share(joined)), reason, (), tuple(missed))


def _mps(session: Session, guided: Sequence[Round]) -> Score:
    if not guided:
        return Score(None, SILENT)
    breaches = [breach(round_.guidance) for round_ in guided]
    grave = next((one for one in breaches if one is not None and one.category in _GRAVE), None)
    if grave is not None:
        fault = f"{grave.category}: {grave.quote}"
        return Score(1.0, f"critical failure: {grave.category}", (grave.quote,), (fault,))
    wrong = [text for text in session.options.values() if text != session.answer]
    misled = [any(_called_right(text, round_.guidance) for text in wrong) for round_ in guided]
    numbers = list(_numbers(session))
    missed = [
        f"round {n}, {one.category}: {one.quote}" for n, one in zip(numbers, breaches, strict=True) if one
    ]
    missed += (
        f"round {n} named a wrong option as right" for n, so in zip(numbers, misled, strict=True) if so
    )
    rounds = len(guided)
    reason = f"{sum(map(bool, breaches))} of {_rounds(rounds)} broke a rule of conduct"
    reason += f", {sum(misled)} named a wrong option as right"
    return Score(
        _mark(_share(one is None for one in breaches), 1 - _share(misled)), reason, (), tuple(missed)
    )


def _numbers(session: Session) -> Iterator[int]:
    """The numbers of the rounds with guidance, from 1."""
    return (n for n, round_ in enumerate(session.rounds, 1) if round_.guidance.strip())


def _rounds(count: int) -> str:
    return f"{count} round{'' if count == 1 else 's'}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _of(share: float, rounds: int) -> int:
    return round(share * rounds)


def _takes_up(round_: Round) -> bool:
    words = telling(round_.guidance)
    return any(len(words & telling(spoken.text)) >= _TAKEN_UP for spoken in round_.students)


def _names(text: str, answer: str) -> bool:
    said = f" {plain(text)} "
    return any(f" {name} " in said for name in plain_names(answer))


def _named(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _called_right(option: str, text: str) -> bool:
    return re.search(rf"\b(?:answer|diagnosis) is (?:an? |the )?{re.escape(option)}", text, re.I) is not None


def _share(found: Iterable[bool]) -> float:
    values = [float(one) for one in found]
    return fmean(values) if values else 0.0


def _mark(*shares: float) -> float:
    return round(1 + _SPAN * fmean(shares), 4)
