"""What a spoken order has to say: the dose and the route of the declared act that it orders."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from math import fsum
from typing import Final

from osler.cases.scenarios.model import Action
from osler.protocols.scenario.of_its_dose import needs_its_dose
from osler.text import vague_order
from osler.text.act_rules import rule, stems
from osler.text.exact_dose import orders_dose
from osler.text.order_synonyms import also_said
from osler.text.quantities import Dose, doses, in_figures, routes
from osler.text.tokens import lowered

_INEXACT: Final = re.compile(r"\bsuch as\b")
_READY: Final = re.compile(r"\b(?:ready|drawn up|to hand|at hand|on standby|by the bed|at the bedside)\b")
_AS_BEFORE: Final = re.compile(r"\b(?:same|repeat|again|another|second|as before)\b")
_BRACKETS: Final = re.compile(r"\s*\([^()]*\)")
_FAR: Final = 3.0
"""The factor by which a dose may differ from the declared one before it is read back."""
_COMMON: Final = frozenset(
    stems(
        "she he her him you i it now please asap stat some in on at for not give gives or and of a "
        "the to by with into start starts first dose second such as"
    )
)


def lacks_detail(action: Action, words: str) -> bool:
    """Whether an order leaves out, or contradicts, the dose or the route of what is declared."""
    if action.unclear or vague_order.INDEFINITE.search(lowered(words)):
        return True
    again = bool(_AS_BEFORE.search(words))
    if needs_its_dose(action) and not (again and not re.search(r"\d", in_figures(words))):
        return not orders_dose(action.what, words)
    if action.kind != "treatment" or action.harmful or _INEXACT.search(action.what):
        return False
    if _READY.search(lowered(words)):
        return False
    wants_dose = not again and vague_order.wants_dose(action.what, words)
    return wants_dose or _another_dose(action, words) or _another_route(action, words)


def _another_dose(action: Action, words: str) -> bool:
    declared = [dose for dose in doses(action.what) if dose.unit != "ml"]
    ordered = [dose for dose in doses(words) if dose.unit != "ml"]
    return bool(declared and ordered) and not any(_near(one, other) for one in ordered for other in declared)


def _another_route(action: Action, words: str) -> bool:
    declared, ordered = routes(action.what), routes(words)
    return bool(declared and ordered) and not ordered & (declared | routes(" ; ".join(action.terms)))


def _near(one: Dose, other: Dose) -> bool:
    same = one.unit == other.unit and one.by_weight == other.by_weight
    return same and other.amount / _FAR <= one.amount <= other.amount * _FAR


def question_about(action: Action) -> str:
    """The question by which the team reads an order back: what is declared, in its own words."""
    verb, _, rest = _BRACKETS.sub("", action.what).partition(" ")
    rest = rest.removeprefix("the ").removeprefix("a ").removeprefix("an ")
    again = "again: " if verb.lower().startswith("repeat") else ""
    text = f"{again}{rest}"
    return f"{text[:1].upper()}{text[1:]}, doctor?"


def without_doses(words: str) -> str:
    """The words of an order without its doses."""
    return re.sub(r"\b\d+(?:\.\d+)?\s*(?:mcg|mg|g|ml|units)\b", " ", in_figures(words))


class Treatments:
    """The treatments of a scenario, by their words: which of them an incomplete order seems to mean."""

    def __init__(self, actions: Iterable[Action]) -> None:
        treatments = [one for one in actions if one.kind == "treatment" and not one.unclear]
        self._words: Final = {one.id: _words_of(one) for one in treatments}
        self._held_by: Final = Counter(word for words in self._words.values() for word in words)

    def meant(self, order: str, possible: Iterable[Action]) -> Action | None:
        """The treatment, of those possible now, that has most of an order's words; the rarer, the more."""
        said, by = frozenset((*stems(order), *also_said(order))), routes(order)
        best, most = None, 0.0
        for each in possible:
            if each.id in self._words and not each.harmful:
                shared = fsum(1 / self._held_by[word] for word in said & self._words[each.id])
                shared *= 1.5 if by & routes(each.what) else 1.0
                if shared > most:
                    best, most = each, shared
        return best


def _words_of(action: Action) -> frozenset[str]:
    """The words of an action's description and of its rules, but for numbers and common words."""
    held = {stem for way in action.terms for group in rule(way).wanted for one in group for stem in one}
    return frozenset(stem for stem in (*held, *stems(action.what)) if not stem.isdigit()) - _COMMON
