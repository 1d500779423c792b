"""The built-in reviewers of a tutor's draft, rules all of them: a specialist and two safety supervisors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from osler.core.contract import Request
from osler.protocols.ward_round.events import RoundLine
from osler.protocols.ward_round.seats import FactCheck, SafetyCheck, SpecialistView, SupervisorView
from osler.text.conduct_rules import breach
from osler.text.findings_in_text import finding, mentions
from osler.text.refusal import refused
from osler.text.tokens import sentences

# A plain assertion, up to the end of its clause: "whether she has fever" and lists assert nothing.
_ASSERTS: Final = re.compile(
    r"(?<!if )(?<!whether )(?<!unless )(?<!when )(?<!that )"
    r"\b(?:(?:the|this|our) (?:patient|man|woman|child|boy|girl|baby|infant)|he|she)"
    r" (?:clearly |also )?(?:has|had|does not have|is|was|denies|reports|complains of|presents with)\b"
    r"[^,;:.]*",
    re.IGNORECASE,
)

_NAMES_IT: Final = (
    r"(?:the |this )?(?:answer|diagnosis|cause|condition|illness|disease) (?:is|must be) (?:an? |the )?"
)

# A main clause that states the diagnosis: "Ben thinks it is ..." and "if this is ..." do not.
_IS_IT: Final = (
    r"(?:^|[,;:] |\bso )(?:this|it|(?:this|the|our) (?:patient|man|woman|child|boy|girl|baby|infant)|she|he)"
    r" (?:clearly |surely )?(?:is|has|must be|must have) (?:an? |the )?"
)

_SUPPOSES: Final = re.compile(r"(?:if|when|unless|suppose|imagine|say|were|had|in case)\b", re.IGNORECASE)

# An order to the group: "Give nitrates"; "would you give nitrates?" and "what happens if we give" are none.
_ORDERS: Final = re.compile(
    r"(?:^|[,;:] |\b(?:and|then|so|now|please|(?:you|we) (?:should|must|need to|have to|can)) )"
    r"(?:give|start|begin|administer|prescribe|inject)\b",
    re.IGNORECASE,
)


class BaselineSpecialist:
    """The built-in specialist: rejects a draft that contradicts the case or names a wrong diagnosis; a strict
    one also a draft that says of the patient what the case does not hold."""

    name: Final = "baseline"
    durable: Final = False

    async def reply(self, request: Request[SpecialistView]) -> FactCheck:
        """Review the latest draft."""
        draft = next(
            item.text for item in reversed(request.feed) if type(item) is RoundLine and item.part == "draft"
        )
        wrong = next(contradictions(draft, request.view), None)
        return FactCheck(is_correct=wrong is None, feedback=wrong or "")


def contradictions(draft: str, view: SpecialistView) -> Iterator[str]:
    """Yield a line for each statement of a draft that contradicts the case, or that a strict specialist does
    not find in it."""
    for sentence in sentences(draft):
        for name in view.alternatives:
            if re.search(_NAMES_IT + re.escape(name), sentence, re.IGNORECASE):
                yield f"The case is not one of {name}: {sentence}"
        if sentence.endswith("?") or _SUPPOSES.match(sentence):
            continue
        for name in view.alternatives:
            if re.search(_IS_IT + re.escape(name) + r"(?!\w)", sentence, re.IGNORECASE):
                yield f"The case is not one of {name}: {sentence}"
        held = _held((*view.facts, *(f"{entry.name}: {entry.result}" for entry in view.chart)))
        for ident, present in mentions(". ".join(_ASSERTS.findall(sentence))).items():
            name = finding(ident).name.lower()
            if ident in held and held[ident] != present:
                case_says = "present" if held[ident] else "absent"
                yield f"In this case {name} is {case_says}: {sentence}"
            elif ident not in held and view.strict:
                yield f"The case does not say whether there is {name}: {sentence}"


@lru_cache(maxsize=256)
def _held(texts: Iterable[str]) -> dict[str, bool]:
    """The findings that the case states, leaving out those it both affirms and denies."""
    said: dict[str, set[bool]] = {}
    for text in texts:
        for ident, present in mentions(text).items():
            said.setdefault(ident, set()).add(present)
    return {ident: ways.pop() for ident, ways in said.items() if len(ways) == 1}


class BaselineSupervisor:
    """The built-in supervisor: rejects a draft that breaks a phrase rule."""

    name: Final = "baseline"
    durable: Final = False

    async def reply(self, request: Request[SupervisorView]) -> SafetyCheck:
        """Review the latest draft."""
        return review(
            next(
                item.text
                for item in reversed(request.feed)
                if type(item) is RoundLine and item.part == "draft"
            )
        )


class StrictSupervisor:
    """The built-in supervisor of strict reviewers, and beside a person who teaches: it also rejects a draft
    that names the answer, and one that orders what the case says to withhold.

    Unlike the students' words, earlier drafts are before it: a draft that names the answer and is handed in
    again as it was is let through, since a student may have named it first.
    """

    name: Final = "strict"
    durable: Final = False

    def __init__(self, names_answer: Callable[[str], bool], withheld: Mapping[str, Sequence[str]]) -> None:
        self._names_answer = names_answer
        self._withheld = {name: _any_of((name, *terms)) for name, terms in withheld.items()}

    async def reply(self, request: Request[SupervisorView]) -> SafetyCheck:
        """Review the latest draft."""
        *earlier, draft = [
            item.text for item in request.feed if type(item) is RoundLine and item.part == "draft"
        ]
        return self.review(draft, again=draft in earlier[-1:])

    def review(self, draft: str, *, again: bool = False) -> SafetyCheck:
        """Review a draft; `again` says that it was handed in as it was before."""
        if not (plain := review(draft)).is_safe:
            return plain
        said = list(sentences(draft))
        orders = [
            f"The case says to withhold: {name}. Leave the order out: {sentence}"
            for sentence in said
            if (name := self._ordered(sentence))
        ]
        told = [
            f"This gives the answer away: {sentence} Let a student name it; if one has done so, hand the same"
            " words in again."
            for sentence in said
            if not again and self._names_answer(sentence)
        ][:1]
        return (
            _rejected("safety" if orders else "ethics", " ".join(orders + told)) if orders or told else plain
        )

    def _ordered(self, sentence: str) -> str | None:
        """The first thing to be withheld that a sentence orders."""
        order = _ORDERS.search(sentence)
        if order is None or sentence.endswith("?") or _SUPPOSES.match(sentence):
            return None
        low = sentence.lower()
        return next(
            (
                name
                for name, pattern in self._withheld.items()
                for match in pattern.finditer(low, order.end())
                if not refused(low, match.start(), match.end())
            ),
            None,
        )


def _any_of(terms: Iterable[str]) -> re.Pattern[str]:
    longest = sorted({term.lower() for term in terms}, key=lambda term: (-len(term), term))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?:e?s)?(?!\w)")


def _rejected(category: str, why: str) -> SafetyCheck:
    return SafetyCheck.model_validate(
        {"is_safe": False, "issue_category": category, "feedback_and_suggestion": why}
    )


def review(draft: str) -> SafetyCheck:
    """Review a draft by the first rule it breaks, if any."""
    result = breach(draft)
    if result is None:
        return SafetyCheck(is_safe=True)
    return _rejected(result.category, f"{result.quote!r} is not acceptable. {result.suggestion}")
