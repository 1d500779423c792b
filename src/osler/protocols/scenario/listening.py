"""Orders given aloud in an explicit scenario: which declared actions a turn's speech orders, or half orders.

A pure function of the speech and the present situation. What is said to the nurse, the team or a colleague
with a verb of ordering, or announced as an act of one's own, is an order; what only mentions, asks, rejects,
quotes, makes conditional or leaves to later is none. An order half understood is read back, and done once it
is confirmed or completed in the next turn. A false act is worse than none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from osler.cases.scenarios.model import Action, Person, Scenario
from osler.protocols.scenario.of_its_dose import of_its_dose
from osler.text import vague_order
from osler.text.act_recognition import Act, Recognized, Recognizer
from osler.text.act_rules import rule, stems
from osler.text.exact_dose import orders_dose
from osler.text.order_synonyms import also_said, is_general_verb
from osler.text.quantities import Dose, doses, in_figures, routes
from osler.text.refusal import refuses
from osler.text.spoken_clauses import Clause, clauses
from osler.text.spoken_moods import measured
from osler.text.tokens import lowered

_PERMITTED: Final = frozenset({"examination", "test", "communication", "safety", "call"})
_YES: Final = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|oh|ah|sorry|right)\W+)?(?:yes|yeah|yep|yup|aye|correct|that's (?:right"
    r"|it|correct)|that is (?:right|correct)|please do|go ahead|exactly"
    r"|affirmative|absolutely|do it|please|confirmed?|of course|sure)\b(?!\W*(?:no|not|don't"
    r"|wait|but|stop)\b)"
)
_OFFERS: Final = re.compile(r"^offers?\b", re.IGNORECASE)
_INEXACT: Final = re.compile(r"\bsuch as\b")
_OF_OTHERS: Final = re.compile(
    r"(?:we (?:might|may)|they|he|she|it|my|in|i (?:wonder|think|thought|heard)|people|some\w*)\b"
)
_PEOPLE_SAY: Final = re.compile(r"\b(?:people|they|some|many) (?:say|think|believe)\b")
_IT: Final = re.compile(r"\b(?:it|them|both|those|one(?= in\b| on\b| up\b|$))\b")
_NEGATING: Final = re.compile(r"^\W*(?:no more|no|(?:don't|do not) \w+(?: her| him)?|it is|it's|that's)\b")
_REFUSES: Final = re.compile(r"^(?:\W*(?:please|no|and|but|so)\b)*\W*(?:don't|do not|never|nobody|not)\b")
_READY: Final = re.compile(r"\b(?:ready|drawn up|to hand|at hand|on standby|by the bed|at the bedside)\b")
_AS_BEFORE: Final = re.compile(r"\b(?:same|repeat|again|another|second|as before)\b")
_JOINING: Final = re.compile(r"^\W*(?:(?:and|then|also|but|so)\s+)+", re.IGNORECASE)
_ASKING: Final = re.compile(r"\b(?:did|have|are|were) you\b")
"""An act that is done by asking: "did you hurt her?"."""
_STATES: Final = re.compile(
    r"^\W*(?:(?:and|because|as)\s+)?(?:the|her|his|she|he|it|there)\b.*(?:\b(?:is|are|was)\b|'s\b)"
)
_BRACKETS: Final = re.compile(r"\s*\([^()]*\)")
_REPORTS: Final = re.compile(
    r"\b(?:had|has|have|'s|was|were|gave|given|this is|received|so far|she's|he's)\b"
)
PUZZLED: Final = "Sorry, doctor, I did not follow. Can you say that another way?"
"""What the team says to an order that nobody can follow."""
_FAR: Final = 3.0
"""The factor by which a dose may differ from the declared one before it is read back."""
_MOST, _MOST_KEPT = 20, 64


class Order(NamedTuple):
    """An order given aloud: the examinee's words, and the id of the declared action."""

    words: str
    action: str


class Asked(NamedTuple):
    """An order half understood: its words, the action it seems to be, and what is asked about it."""

    words: str
    action: str
    question: str


class Heard(NamedTuple):
    """The orders of a turn's speech, and those that are read back; `puzzled`: an order nobody can follow.

    `to_team`: the clauses that only the team has to answer.
    """

    orders: tuple[Order, ...] = ()
    asked: tuple[Asked, ...] = ()
    puzzled: bool = False
    to_team: tuple[str, ...] = ()


_KEPT: Final[dict[str, Listener]] = {}


def listener_of(scenario: Scenario) -> Listener:
    """The listener of a scenario, kept for its content: its rules need to be read only once."""
    key = scenario.content_hash
    if key not in _KEPT:
        if len(_KEPT) >= _MOST_KEPT:
            _KEPT.clear()
        _KEPT[key] = Listener(scenario)
    return _KEPT[key]


class Listener:
    """The reader of spoken orders for one scenario. Stateless but for caches."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario

    def listen(
        self, speech: str, state: str, *, asked: Iterable[Asked] = (), done_too: Collection[str] = ()
    ) -> Heard:
        """Read a turn's speech in a state.

        `asked` was read back in the turn before; `done_too` are the actions done in this turn without speech,
        which the speech then only speaks of.
        """
        likely = self._likely(state)
        orders: dict[str, Order] = {}
        halves: list[Asked] = []
        to_team: list[str] = []
        puzzled = False
        before = list(asked)
        if before and _YES.match(lowered(speech)):
            orders |= {one.action: Order(_first_sentence(speech), one.action) for one in before if one.action}
            before = []
        ordering = reporting = False
        topic = ""
        for clause in clauses(speech, self._names):
            if reporting and clause.mood == "bare" and not clause.please:
                continue  # "This is Ms Rowe, ... adrenaline 0.5 mg at five past two": what has been done
            found, half = self._read(clause, likely, ordering=ordering)
            if (
                not any(one.action for one in half)
                and not found
                and clause.mood in ("order", "announced")
                and topic
            ):
                found = self._of_the_topic(clause, topic, likely)
                half = [] if found else half
            topic = "" if clause.asks else _NEGATING.sub("", clause.core)
            if not (found or half) and (before or halves) and self._completes(clause):
                one = (before or halves).pop()
                found, half = self._again(one, clause, likely)
                if not found:
                    half = [one._replace(words=f"{one.words}, {clause.core}")]
            reporting = clause.mood == "none" and (reporting or bool(_REPORTS.search(lowered(clause.said))))
            ordering = bool(found or half) or (ordering and clause.mood == "bare")
            orders |= {each.action: each for each in found if each.action not in orders}
            halves += half
            if (found or half) and self._is_for_team(clause):
                to_team.append(clause.said)
            puzzled = puzzled or self._is_puzzling(clause, found, half)
        orders = {name: one for name, one in orders.items() if name not in done_too}
        if orders:
            halves = [one for one in halves if one.action]
        covered = {*orders, *done_too}
        left = tuple(one for one in dict.fromkeys(halves) if one.action not in covered)
        return Heard(
            tuple(orders.values())[:_MOST], left[:2], puzzled and not (orders or left), tuple(to_team)
        )

    def read(self, act: str, state: str) -> tuple[Recognized, ...]:
        """The readings of an act in words, as the built-in controller reads it."""
        return self._knows.read(act, self._likely(state))

    # A clause

    def _read(
        self, clause: Clause, likely: frozenset[str], *, ordering: bool
    ) -> tuple[list[Order], list[Asked]]:
        found = self._performed(clause, likely, here_only=True)
        half: list[Asked] = []
        actions = self._scenario.actions_by_id
        if not found and self._orders(clause, ordering=ordering):
            something = bool(vague_order.SOMETHING.search(clause.core))
            for place, part in enumerate(self._parts(clause, likely)):
                action = actions.get(part.act)
                if action is None or part.how != "done" or not _allowed(clause, action):
                    continue
                if something and action.kind != "treatment":
                    continue
                if place and _STATES.match(lowered(part.part)):
                    continue  # a reason, and no second order
                words = _verbatim(part.part, clause.said)
                likely_ones = (one for one in self._scenario.actions if one.id in likely)
                action = of_its_dose(action, part.part, likely_ones) or action
                if not self._lacks(action, part.part):
                    found.append(Order(words, action.id))
                elif clause.mood in ("order", "bare", "announced") and (
                    one := self._half(action, words, likely)
                ):
                    half.append(one)
        found = found or ([] if half else self._performed(clause, likely))
        if not (found or half) and clause.mood in ("order", "announced"):
            half = [Asked(clause.said, "", one) for one in vague_order.questions(clause.core)]
        return found, half

    def _performed(self, clause: Clause, likely: frozenset[str], *, here_only: bool = False) -> list[Order]:
        """The act that is done by saying it; `here_only`: one that belongs to the present state alone."""
        if clause.mood == "none" and (_OF_OTHERS.match(clause.core) or _PEOPLE_SAY.search(clause.core)):
            return []
        said = stems(f"{clause.named} {lowered(clause.said)}")
        refused = _REFUSES.match(lowered(clause.said))
        return [
            Order(clause.said, action.id)
            for action in self._scenario.actions
            if action.said and action.id in likely and (action.states or not here_only)
            if any(
                rule(one).met(said)
                for one in action.said
                if (not refused or refuses(rule(one).wanted_text))
                and (not clause.asks or _ASKING.search(rule(one).wanted_text))
            )
        ][:1]

    def _parts(self, clause: Clause, likely: frozenset[str]) -> tuple[Recognized, ...]:
        """The acts in a clause: in its core, or else in all of it, or else with the person it is said to."""
        to_whom = f"{clause.named} {clause.core}" if clause.mood in ("order", "bare") else ""
        in_full = lowered(clause.said) if clause.mood == "order" else ""
        texts = dict.fromkeys((clause.core, clause.whole, to_whom, in_full))
        verbless = clause.noun or is_general_verb(clause.core)
        read = [self._knows.read(text, likely, verbless=verbless) for text in texts if text.strip()]
        return next((parts for parts in read if any(part.act for part in parts)), read[0] if read else ())

    def _orders(self, clause: Clause, *, ordering: bool) -> bool:
        if clause.mood == "bare":
            return clause.please or ordering or clause.terse or bool(doses(clause.core))
        return clause.mood != "none"

    def _completes(self, clause: Clause) -> bool:
        """Whether a clause is only the missing part of an order, such as a dose or a route."""
        return clause.mood in ("bare", "order") and measured(clause.core)

    def _again(self, one: Asked, clause: Clause, likely: frozenset[str]) -> tuple[list[Order], list[Asked]]:
        """An order half understood, read again together with what completes it."""
        actions = self._scenario.actions_by_id
        words = f"{one.words}, {clause.core}"
        for text in (f"{_without_doses(one.words)} {clause.core}", words.replace(",", " ")):
            part, *more = self._knows.read(text, likely)
            action = actions.get(part.act)
            if not more and action and part.how == "done" and not self._lacks(action, text):
                return [Order(f"{one.words}, {clause.said}", action.id)], []
        return [], []

    def _of_the_topic(self, clause: Clause, topic: str, likely: frozenset[str]) -> list[Order]:
        """What is ordered of a thing named just before: "the drip: take it down"."""
        if not _IT.search(clause.core):
            return []
        actions = self._scenario.actions_by_id
        part, *more = self._knows.read(_IT.sub(topic, clause.core, count=1), likely)
        action = actions.get(part.act)
        if more or not action or action.harmful or part.how != "done" or self._lacks(action, topic):
            return []
        return [Order(clause.said, action.id)]

    def _is_for_team(self, clause: Clause) -> bool:
        to_family = any(clause.named in _ways(one) for one in self._scenario.people if one.role != "team")
        return clause.mood in ("order", "bare") and not to_family

    def _is_puzzling(self, clause: Clause, found: Collection[Order], half: Collection[Asked]) -> bool:
        to_team = any(clause.named and clause.named in _ways(one) for one in self._team)
        return clause.mood == "order" and to_team and not (found or half)

    # What an order needs

    def _lacks(self, action: Action, words: str) -> bool:
        """Whether an order leaves out, or contradicts, the dose or the route of what is declared."""
        if action.unclear or vague_order.INDEFINITE.search(lowered(words)):
            return True
        if action.exact and not (_AS_BEFORE.search(words) and not re.search(r"\d", in_figures(words))):
            return not orders_dose(action.what, words)
        if action.kind != "treatment" or action.harmful or _INEXACT.search(action.what):
            return False
        if _READY.search(lowered(words)):
            return False
        if vague_order.wants_dose(action.what, words) and not _AS_BEFORE.search(words):
            return True
        wanted, said = doses(action.what), doses(words)
        if masses := [dose for dose in wanted if dose.unit != "ml"]:
            given = [dose for dose in said if dose.unit != "ml"]
            if given and not any(_near(one, other) for one in given for other in masses):
                return True
        declared = routes(action.what)
        by = routes(words)
        return bool(declared and by and not by & (declared | routes(" ; ".join(action.terms))))

    def _half(self, action: Action, words: str, likely: frozenset[str]) -> Asked | None:
        meant = self._meant(action, words, likely)
        return Asked(words, meant.id, _question(meant)) if meant else None

    def _meant(self, action: Action, words: str, likely: frozenset[str]) -> Action | None:
        """The action that an incomplete order seems to be: of those possible now, the one most of whose words
        it has."""
        if not action.unclear:
            return action
        said = frozenset((*stems(words), *also_said(words))) & self._words_of(action)
        by = routes(words)
        best, most = None, 0.0
        for each in self._scenario.actions:
            if each.kind != "treatment" or each.harmful or each.unclear or each.id not in likely:
                continue
            held = self._words_of(each)
            shared = sum(1 / self._held_by.get(stem, 1) for stem in said & held)
            shared *= 1.5 if by & routes(each.what) else 1.0
            if shared > most:
                best, most = each, shared
        return best

    def _words_of(self, action: Action) -> frozenset[str]:
        """The words of an action's description and of its rules, but for numbers and common words."""
        held = {stem for way in action.terms for group in rule(way).wanted for one in group for stem in one}
        return frozenset(stem for stem in (*held, *stems(action.what)) if not stem.isdigit()) - _COMMON

    @cached_property
    def _held_by(self) -> dict[str, int]:
        """The number of treatments that hold each word."""
        treatments = (one for one in self._scenario.actions if one.kind == "treatment" and not one.unclear)
        return dict(Counter(stem for one in treatments for stem in self._words_of(one)))

    # The scenario

    def _likely(self, state: str) -> frozenset[str]:
        return frozenset(one.id for one in self._scenario.actions if not one.states or state in one.states)

    @cached_property
    def _knows(self) -> Recognizer:
        return Recognizer(
            Act(one.id, one.terms, vague=one.unclear, harmful=one.harmful) for one in self._scenario.actions
        )

    @cached_property
    def _team(self) -> tuple[Person, ...]:
        return tuple(person for person in self._scenario.people if person.role == "team")

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(way for person in self._scenario.people for way in _ways(person)))


_COMMON: Final = frozenset(
    stems(
        "she he her him you i it now please asap stat some in on at for not give gives or and of a "
        "the to by with into start starts first dose second such as"
    )
)


@lru_cache(maxsize=64)
def _ways(person: Person) -> tuple[str, ...]:
    """The ways of addressing a person, in lower case: by name, by surname, by role."""
    name = lowered(person.name)
    alone = [
        word for word in name.split() if word not in ("mr", "mrs", "ms", "miss", "dr", "nurse", "sister")
    ]
    return tuple(dict.fromkeys((name, *alone, person.id.replace("_", " "))))


def _allowed(clause: Clause, action: Action) -> bool:
    """Whether a clause of this mood can order an action of this kind."""
    match clause.mood:
        case "permission":
            return action.kind in _PERMITTED and not action.harmful
        case "offer":
            return bool(_OFFERS.match(action.what))
        case "granted":
            return action.kind in ("safety", "communication")
    return True


def _near(one: Dose, other: Dose) -> bool:
    same = one.unit == other.unit and one.by_weight == other.by_weight
    return same and other.amount / _FAR <= one.amount <= other.amount * _FAR


def _question(action: Action) -> str:
    """What the team reads back: the declared order in its own words."""
    verb, _, rest = _BRACKETS.sub("", action.what).partition(" ")
    rest = rest.removeprefix("the ").removeprefix("a ").removeprefix("an ")
    again = "again: " if verb.lower().startswith("repeat") else ""
    text = f"{again}{rest}"
    return f"{text[:1].upper()}{text[1:]}, doctor?"


def _without_doses(words: str) -> str:
    return re.sub(r"\b\d+(?:\.\d+)?\s*(?:mcg|mg|g|ml|units)\b", " ", in_figures(words))


def _first_sentence(speech: str) -> str:
    return re.split(r"(?<=[.!?])\s+", speech.strip(), maxsplit=1)[0]


def _verbatim(part: str, said: str) -> str:
    """The words of a part as they were said."""
    at = lowered(said).find(part)
    words = said[at : at + len(part)] if at >= 0 else said
    return _JOINING.sub("", words) or words


def team_present(scenario: Scenario, here: Collection[str]) -> Iterator[Person]:
    """The members of the team who are there and can speak."""
    return (one for one in scenario.people if one.role == "team" and one.speaks and one.id in here)
