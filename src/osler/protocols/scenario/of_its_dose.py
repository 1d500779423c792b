"""The recognizer of declared acts, and of those named alike that differ in their dose, the one meant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

from osler.reading.declared_acts import DeclaredActs
from osler.text.act_recognition import Act, Recognizer
from osler.text.exact_dose import orders_dose, states_dose


class Declared(Protocol):
    """A declared act as the engine or the controller's seat has it."""

    @property
    def id(self) -> str:
        """Its id."""

    @property
    def what(self) -> str:
        """The plain wording."""

    @property
    def terms(self) -> tuple[str, ...]:
        """The rules that recognize it."""

    @property
    def says(self) -> tuple[str, ...]:
        """Beside its plain wording, the sentences that recognize it where it has no rules."""

    @property
    def unclear(self) -> bool:
        """Whether it leaves out what is needed."""

    @property
    def harmful(self) -> bool:
        """Whether it harms the patient."""

    @property
    def exact(self) -> bool:
        """Whether its dose and route must be ordered."""


_Act = TypeVar("_Act", bound=Declared)


def recognizer_of(acts: Iterable[Declared]) -> Recognizer:
    """The recognizer of declared acts, by their rules, or by their sentences where they have none."""
    known = [
        Act(one.id, one.terms, one.unclear, one.harmful, () if one.terms else (one.what, *one.says))
        for one in acts
    ]
    by_sentences = {act.id: act.sentences for act in known if act.sentences}
    if not by_sentences:
        return Recognizer(known)
    return Recognizer(known, DeclaredActs(by_sentences, {act.id for act in known if act.harmful}).meant)


def needs_its_dose(act: Declared) -> bool:
    """Whether an order must state the dose and the route of an act: its author says so, or it has a dose and
    is recognized by sentences, which tell no dose from another."""
    return act.exact or (not act.terms and states_dose(act.what))


def of_its_dose(act: _Act, words: str, others: Iterable[_Act]) -> _Act | None:
    """The act if its dose is ordered or it needs none, else one named alike whose dose is; or `None`."""
    if not needs_its_dose(act) or orders_dose(act.what, words):
        return act
    alike = (other for other in others if act.terms and other.exact and other.terms == act.terms)
    return next((other for other in alike if orders_dose(other.what, words)), None)
