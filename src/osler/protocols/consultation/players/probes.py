"""Probes for shortcuts: doctors who look at a single cue, to measure how much it gives away.

None is meant to be good. If a probe scores above a trivial baseline, the information was in its cue: the
opening, the form of the options, the tests that exist, or the first fact told.
"""

from __future__ import annotations

from collections import Counter
from functools import cache, lru_cache
from typing import Final, Literal

import numpy as np

from osler.core.contract import OwnReply, Request
from osler.core.events import Said
from osler.core.order_events import Resulted, Taken
from osler.knowledge.conditions import Vector, knowledge, name_key
from osler.knowledge.formulary import formulary
from osler.protocols.consultation.events import WorkingDiagnosis
from osler.protocols.consultation.players.doctor import BaselineDoctor
from osler.protocols.consultation.players.trivial import commonest
from osler.protocols.consultation.seats import Ask, DoctorTurn, Finalize, RequestTest, this_turn

Cue = Literal["first", "longest", "most specific"]
MORE: Final = "Please tell me more."
_SENTENCE_ENDS: Final = ".!?;\n"
_SHORTEST_NAME: Final = 3
_NAMES_ORDERED: Final = 18
_THERE_ANYWAY, _THERE_IF_TELLING = 0.1, 0.8
"""The probability that a case holds a test unrelated to its diagnosis, and the increment for a test that
always shows it."""


class OpeningOnly:
    """The probe of the opening: concludes at once from the door note and the patient's first words, as the
    built-in doctor would; a condition named there is the answer."""

    name: Final = "opening-only"
    durable: Final = False

    async def reply(self, request: DoctorTurn) -> Finalize:
        """Conclude from the opening alone."""
        return await _from_words(request, f"{request.view.door_note}\n{request.view.patient_opening}")


class OptionsOnly:
    """The probe of the options: concludes from their form, without seeing the case. If none are shown it
    plays like always-conclude.

    `first`: the first key. `longest`: the most characters. `most specific`: the most words that no other
    option has. Ties go to the first key.
    """

    durable: Final = False

    def __init__(self, cue: Cue) -> None:
        self._cue = cue
        self.name = f"options-{cue.replace(' ', '-')}"

    async def reply(self, request: DoctorTurn) -> Finalize:
        """Choose an option by its form."""
        options = request.view.task.options
        if not options:
            return commonest(request.view)
        chosen = _by_form(tuple(sorted(options.items())), self._cue)
        return _option(options, chosen)


class AvailabilityOnly:
    """The probe of availability: orders a fixed list of tests and looks only at which exist, never at
    results.

    An existing test is evidence for the conditions it would show something of.
    """

    name: Final = "availability-only"
    durable: Final = False

    async def reply(self, request: DoctorTurn) -> RequestTest | Finalize:
        """Order the next test on the list; conclude when the list, the tests or the turns are used up."""
        turn, names = this_turn(request), _fixed_list()
        ordered = sum(isinstance(item, OwnReply) for item in request.feed)
        ended = turn.last_chance or turn.turns_left < 1 or turn.tests_left == 0
        if not ended and ordered < len(names):
            return RequestTest(test_name=names[ordered])
        there = {
            item.order
            for item in request.feed
            if isinstance(item, Taken) or (isinstance(item, Resulted) and item.returned)
        }
        view, knowing = request.view, knowledge()
        score = knowing.prior(view.age_years, view.sex)
        for number in range(1, ordered + 1):
            chance = _existing()[:, number - 1]
            score = score + np.log(chance if number in there else 1 - chance)
        if options := view.task.options:
            rows = {key: knowing.find(text) for key, text in sorted(options.items())}
            worth = {key: -np.inf if row is None else float(score[row]) for key, row in rows.items()}
            best = max(worth, key=lambda key: worth[key])
            return _option(options, best)
        return _named(knowing.conditions[int(score.argmax())].name)


class FirstTold:
    """The probe of the first fact: asks for more once and concludes from the answer alone, which with a
    patient who tells its facts in order (`Reciter`) is the first of them."""

    name: Final = "first-told"
    durable: Final = False

    async def reply(self, request: DoctorTurn) -> Ask | Finalize:
        """Ask the one question, then conclude from the one answer."""
        turn = this_turn(request)
        asked = any(isinstance(item, OwnReply) for item in request.feed)
        if not asked and not turn.last_chance and turn.turns_left > 0:
            return Ask(question=MORE)
        texts = [item.text for item in request.feed if isinstance(item, Said) and item.by == "patient"]
        return await _from_words(request, texts[-1] if asked and texts else "")


async def _from_words(request: DoctorTurn, words: str) -> Finalize:
    """Conclude as the built-in doctor would from these words alone; a condition they name takes precedence
    over inference."""
    view = request.view.model_copy(update={"door_note": words, "patient_opening": ""})
    last = this_turn(request).model_copy(update={"last_chance": True})
    result = await BaselineDoctor().reply(Request(view, (last,), request.world))
    if not isinstance(result, Finalize):
        raise TypeError(f"at the last chance the built-in doctor concludes, not {result.action}")
    told = None if view.task.options else _condition_named(words)
    return _named(told) if told else result


def _named(diagnosis: str) -> Finalize:
    return Finalize(diagnosis=diagnosis, working_diagnoses=(WorkingDiagnosis(name=diagnosis),))


def _option(options: dict[str, str], key: str) -> Finalize:
    return Finalize(diagnosis=options[key][:4000].strip() or "unnamed", answer=key)


def _sentences(text: str) -> tuple[str, ...]:
    for end in _SENTENCE_ENDS:
        text = text.replace(end, "\n")
    return tuple(piece.strip() for piece in text.split("\n") if piece.strip())


@lru_cache(maxsize=4096)
def _condition_named(words: str) -> str | None:
    """The condition with the longest name or synonym in the words; `None` if they name none."""
    lines = [f" {name_key(sentence)} " for sentence in _sentences(words)]
    pairs = [(len(key), name) for key, name in _names() if any(f" {key} " in piece for piece in lines)]
    return max(pairs)[1] if pairs else None


@cache
def _names() -> tuple[tuple[str, str], ...]:
    return tuple(
        (key, condition.name)
        for condition in knowledge().conditions
        for name in (condition.name, *condition.synonyms)
        if len(key := name_key(name)) >= _SHORTEST_NAME
    )


@lru_cache(maxsize=4096)
def _by_form(options: tuple[tuple[str, str], ...], cue: Cue) -> str:
    """The key that a cue picks. `options` must be sorted by key, so that `max` resolves ties to the first."""
    words = {key: set(text.lower().split()) for key, text in options}
    held_by = Counter(word for held in words.values() for word in held)
    scores = {
        "first": dict.fromkeys(words, 0),
        "longest": {key: len(text) for key, text in options},
        "most specific": {key: sum(held_by[word] == 1 for word in held) for key, held in words.items()},
    }[cue]
    return max(scores, key=lambda key: scores[key])


@cache
def _fixed_list() -> tuple[str, ...]:
    """The tests whose mere existence best discriminates conditions: those of highest variance across them."""
    return tuple(name for name, _ in _telling_tests())


@cache
def _existing() -> Vector:
    """The probability that a case of each condition holds each listed test, shape (conditions, tests)."""
    columns = np.stack([telling for _, telling in _telling_tests()], axis=1)
    return np.asarray(_THERE_ANYWAY + _THERE_IF_TELLING * columns)


@cache
def _telling_tests() -> tuple[tuple[str, Vector], ...]:
    knowing = knowledge()
    shown: dict[str, Vector] = {}
    for column, item in enumerate(knowing.findings):
        entry = formulary().find(item.order) if item.order else None
        if entry is not None and entry.kind != "examination":
            there = knowing.present[:, column]
            shown[entry.name] = np.maximum(shown.get(entry.name, there), there)
    best = sorted(shown, key=lambda name: (-float(shown[name].var()), name))
    return tuple((name, shown[name]) for name in best[:_NAMES_ORDERED])
