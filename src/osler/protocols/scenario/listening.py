"""Orders given aloud in an explicit scenario: which declared actions a turn's speech orders, or half orders.

A pure function of the speech and the present situation. What is said to the nurse, the team or a colleague
with a verb of ordering, or announced as an act of one's own, is an order; what only mentions, asks, rejects,
quotes, makes conditional or leaves to later is none. An order half understood is read back, and done once it
is confirmed or completed in the next turn. A false act is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from osler.cases.scenarios.model import Action, Person, Scenario
from osler.protocols.scenario.of_its_dose import of_its_dose, recognizer_of
from osler.protocols.scenario.order_details import Treatments, lacks_detail, question_about, without_doses
from osler.text import vague_order
from osler.text.act_recognition import Recognized, Recognizer
from osler.text.order_synonyms import is_general_verb
from osler.text.quantities import doses
from osler.text.refusal import refuses
from osler.text.said_rules import SaidRule, said_rule
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
_OF_OTHERS: Final = re.compile(
    r"(?:we (?:might|may)|they|he|she|it|my|in|i (?:wonder|think|thought|heard)|people|some\w*)\b"
)
_IT: Final = re.compile(r"\b(?:it|them|both|those|one(?= in\b| on\b| up\b|$))\b")
_NEGATING: Final = re.compile(r"^\W*(?:no more|no|(?:don't|do not) \w+(?: her| him)?|it is|it's|that's)\b")
_REFUSES: Final = re.compile(r"^(?:\W*(?:please|no|and|but|so)\b)*\W*(?:don't|do not|never|nobody|not)\b")
_NOT_GIVEN: Final = re.compile(
    r"^(?:do not|don't|dont) (?:give|serve|start|continue|administer|hang)\s+"
    r"(?:(?:her|him|them|the patient|any|more|the)\s+)*"
)
_WITHHOLDS: Final = re.compile(r"^(?:withholds?|holds?|stops?|crosses|cross|omits?)\b", re.IGNORECASE)
_JOINING: Final = re.compile(r"^\W*(?:(?:and|then|also|but|so)\s+)+", re.IGNORECASE)
_STATES: Final = re.compile(
    r"^\W*(?:(?:and|because|as)\s+)?(?:the|her|his|she|he|it|there)\b.*(?:\b(?:is|are|was)\b|'s\b)"
)
_REPORTS: Final = re.compile(r"\b(?:had|has|have|was|were|gave|given|this is|received|so far)\b")
PUZZLED: Final = "Sorry, doctor, I did not follow. Can you say that another way?"
"""What the team says to an order that nobody can follow."""
_MOST, _MOST_KEPT = 20, 64


class Order(NamedTuple):
    """An order given aloud: the examinee's words, and the id of the declared action."""

    words: str
    action: str


class HalfOrder(NamedTuple):
    """An order half understood: its words, the action it seems to be, and what is asked about it."""

    words: str
    action: str
    question: str


class SpokenOrders(NamedTuple):
    """The orders of a turn's speech, and those that are read back; `puzzled`: an order nobody can follow.

    `to_team`: the clauses that only the team has to answer.
    """

    orders: tuple[Order, ...] = ()
    asked: tuple[HalfOrder, ...] = ()
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


@dataclass(slots=True)
class _Turn:
    """A turn's speech as far as it has been read, clause by clause.

    `before` was read back in the turn before. `ordering`: the clause before ordered something, so that a bare
    phrase goes on with it; `reporting`: it told what has been done; `topic`: the thing it named.
    """

    before: list[HalfOrder]
    orders: dict[str, Order] = field(default_factory=dict)
    halves: list[HalfOrder] = field(default_factory=list)
    to_team: list[str] = field(default_factory=list)
    puzzled: bool = False
    ordering: bool = False
    reporting: bool = False
    topic: str = ""

    def confirm(self, speech: str) -> None:
        """Order what was read back, which the speech begins by confirming."""
        words = _first_sentence(speech)
        self.orders |= {one.action: Order(words, one.action) for one in self.before if one.action}
        self.before = []

    def unfinished(self) -> HalfOrder | None:
        """The half order that the next words may complete, taken off its list."""
        pending = self.before or self.halves
        return pending.pop() if pending else None

    def add(self, clause: Clause, orders: Iterable[Order], halves: Sequence[HalfOrder]) -> None:
        """Add what a clause orders and half orders."""
        for order in orders:
            self.orders.setdefault(order.action, order)
        self.halves += halves

    def move_on(self, clause: Clause, *, acts: bool) -> None:
        """Keep what the next clause is understood by; `acts`: this one ordered something, or half did."""
        self.topic = "" if clause.asks else _NEGATING.sub("", clause.core)
        reports = self.reporting or bool(_REPORTS.search(lowered(clause.said)))
        self.reporting = clause.mood == "none" and reports
        self.ordering = acts or (self.ordering and clause.mood == "bare")

    def heard(self, done_too: Collection[str]) -> SpokenOrders:
        """The result, without the actions that are done in this turn anyway."""
        orders = {name: one for name, one in self.orders.items() if name not in done_too}
        covered = {*orders, *done_too}
        # What names no action is not asked about beside an order that is clear.
        halves = [one for one in self.halves if one.action] if orders else self.halves
        half_orders = tuple(one for one in dict.fromkeys(halves) if one.action not in covered)
        puzzled = self.puzzled and not (orders or half_orders)
        return SpokenOrders(tuple(orders.values())[:_MOST], half_orders[:2], puzzled, tuple(self.to_team))


class Listener:
    """The reader of spoken orders for one scenario. Stateless but for caches."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario

    def listen(
        self, speech: str, state: str, *, asked: Iterable[HalfOrder] = (), done_too: Collection[str] = ()
    ) -> SpokenOrders:
        """Read a turn's speech in a state.

        `asked` was read back in the turn before; `done_too` are the actions done in this turn without speech,
        which the speech then only speaks of.
        """
        turn = _Turn(list(asked))
        if turn.before and _YES.match(lowered(speech)):
            turn.confirm(speech)
        likely = self._likely(state)
        for clause in clauses(speech, self._names):
            if turn.reporting and clause.mood == "bare" and not clause.please:
                continue  # "She has had ... adrenaline 0.5 mg at five past two": what has been done
            orders, halves = self._in_context(clause, likely, turn)
            acts = bool(orders or halves)
            turn.add(clause, orders, halves)
            turn.move_on(clause, acts=acts)
            if acts and self._is_for_team(clause):
                turn.to_team.append(clause.said)
            turn.puzzled = turn.puzzled or (not acts and self._is_puzzling(clause))
        return turn.heard(done_too)

    def read(self, act: str, state: str) -> tuple[Recognized, ...]:
        """The readings of an act in words, as the built-in controller reads it."""
        return self._knows.read(act, self._likely(state))

    # A clause

    def _in_context(self, clause: Clause, likely: frozenset[str], turn: _Turn) -> _Meant:
        """Read what a clause orders: alone, about a thing named before, or to end a half-given order."""
        orders, halves = self._read(clause, likely, ordering=turn.ordering)
        if turn.topic and not orders and not any(one.action for one in halves):
            orders = self._of_the_topic(clause, turn.topic, likely)
            halves = [] if orders else halves
        if not (orders or halves) and self._completes(clause) and (one := turn.unfinished()):
            orders = self._again(one, clause, likely)
            halves = [] if orders else [one._replace(words=f"{one.words}, {clause.core}")]
        return orders, halves

    def _read(self, clause: Clause, likely: frozenset[str], *, ordering: bool) -> _Meant:
        orders: list[Order] = self._performed(clause, likely, here_only=True)
        halves: list[HalfOrder] = []
        if not orders and self._orders(clause, ordering=ordering):
            orders, halves = self._named_acts(clause, likely)
        if not (orders or halves):
            orders = self._performed(clause, likely) or self._withheld(clause, likely)
        if not (orders or halves) and clause.mood in ("order", "announced"):
            halves = [HalfOrder(clause.said, "", one) for one in vague_order.questions(clause.core)]
        return orders, halves

    def _named_acts(self, clause: Clause, likely: frozenset[str]) -> _Meant:
        """The declared acts that an ordering clause names, and those of which it leaves something out."""
        orders: list[Order] = []
        halves: list[HalfOrder] = []
        possible = [one for one in self._scenario.actions if one.id in likely]
        for part, named in self._possible_parts(clause, likely):
            words = _verbatim(part, clause.said)
            action = of_its_dose(named, part, possible) or named
            if not lacks_detail(action, part):
                orders.append(Order(words, action.id))
            elif clause.mood in ("order", "bare", "announced"):
                meant = self._treatments.meant(part, possible) if action.unclear else action
                halves += [HalfOrder(words, meant.id, question_about(meant))] if meant else []
        return orders, halves

    def _possible_parts(self, clause: Clause, likely: frozenset[str]) -> Iterator[tuple[str, Action]]:
        """The parts of a clause that name an act which it can order, each with the act."""
        something = bool(vague_order.SOMETHING.search(clause.core))
        for place, part in enumerate(self._parts(clause, likely)):
            action = self._scenario.actions_by_id.get(part.act)
            if action is None or part.how != "done" or not _allowed(clause, action):
                continue
            a_reason = place and _STATES.match(lowered(part.part))
            if not a_reason and (action.kind == "treatment" or not something):
                yield part.part, action

    def _performed(self, clause: Clause, likely: frozenset[str], *, here_only: bool = False) -> list[Order]:
        """The act that is done by saying it; `here_only`: one that belongs to the present state alone."""
        if clause.mood == "none" and _OF_OTHERS.match(clause.core):
            return []
        text = f"{clause.named} {clause.said}"
        refused = bool(_REFUSES.match(lowered(clause.said)))
        for action in self._scenario.actions:
            if action.id not in likely or (here_only and not action.states):
                continue
            rules = (said_rule(one) for one in action.said)
            if any(_may_perform(one, clause, refused=refused) and one.heard(text) for one in rules):
                return [Order(clause.said, action.id)]
        return []

    def _withheld(self, clause: Clause, likely: frozenset[str]) -> list[Order]:
        """The act of withholding that "don't give her any ..." orders."""
        if clause.asks or not (hit := _NOT_GIVEN.match(clause.core)):
            return []
        action = self._only_act(f"withhold {clause.core[hit.end() :]}", likely)
        return [Order(clause.said, action.id)] if action and _WITHHOLDS.match(action.what) else []

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

    def _again(self, one: HalfOrder, clause: Clause, likely: frozenset[str]) -> list[Order]:
        """An order half understood, read again together with what completes it."""
        words = f"{one.words}, {clause.core}"
        for text in (f"{without_doses(one.words)} {clause.core}", words.replace(",", " ")):
            if (action := self._only_act(text, likely)) and not lacks_detail(action, text):
                return [Order(f"{one.words}, {clause.said}", action.id)]
        return []

    def _of_the_topic(self, clause: Clause, topic: str, likely: frozenset[str]) -> list[Order]:
        """Return the orders about a thing named just before: "the drip: take it down"."""
        if clause.mood not in ("order", "announced") or not _IT.search(clause.core):
            return []
        action = self._only_act(_IT.sub(topic, clause.core, count=1), likely)
        if not action or action.harmful or lacks_detail(action, topic):
            return []
        return [Order(clause.said, action.id)]

    def _only_act(self, text: str, likely: frozenset[str]) -> Action | None:
        """The act that words order, if they name one alone."""
        part, *more = self._knows.read(text, likely)
        return self._scenario.actions_by_id.get(part.act) if part.how == "done" and not more else None

    def _is_for_team(self, clause: Clause) -> bool:
        to_family = any(clause.named in _ways(one) for one in self._scenario.people if one.role != "team")
        return clause.mood in ("order", "bare") and not to_family

    def _is_puzzling(self, clause: Clause) -> bool:
        """Whether a clause orders something of a member of the team, who then has to ask."""
        return clause.mood == "order" and any(
            clause.named and clause.named in _ways(one) for one in self._team
        )

    # The scenario

    def _likely(self, state: str) -> frozenset[str]:
        return frozenset(one.id for one in self._scenario.actions if not one.states or state in one.states)

    @cached_property
    def _knows(self) -> Recognizer:
        return recognizer_of(self._scenario.actions)

    @cached_property
    def _treatments(self) -> Treatments:
        return Treatments(self._scenario.actions)

    @cached_property
    def _team(self) -> tuple[Person, ...]:
        return tuple(person for person in self._scenario.people if person.role == "team")

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(way for person in self._scenario.people for way in _ways(person)))


_Meant = tuple[list[Order], list[HalfOrder]]


def _may_perform(rule: SaidRule, clause: Clause, *, refused: bool) -> bool:
    """Whether a clause of its form can be the act of a rule: a refusal and a question only where the rule is
    of one."""
    return (not refused or refuses(rule.text)) and (not clause.asks or rule.asks)


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
