"""The built-in reviewers of a tutor's draft: the specialist and the safety supervisor."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from osler.core.contract import Request
from osler.protocols.ward_round.events import Line
from osler.protocols.ward_round.seats import FactCheck, SafetyCheck, SpecialistView, SupervisorView
from osler.text.conduct_rules import breach
from osler.text.findings_in_text import finding, mentions
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


class BaselineSpecialist:
    """The built-in specialist: rejects a draft that contradicts the case or names a wrong diagnosis."""

    name: Final = "baseline"
    durable: Final = False

    async def reply(self, request: Request[SpecialistView]) -> FactCheck:
        """Review the latest draft."""
        draft = next(
            item.text for item in reversed(request.feed) if type(item) is Line and item.part == "draft"
        )
        wrong = next(contradictions(draft, request.view), None)
        return FactCheck(is_correct=wrong is None, feedback=wrong or "")


def contradictions(draft: str, view: SpecialistView) -> Iterator[str]:
    """Yield a line for each statement of a draft that contradicts the case."""
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
            if ident in held and held[ident] != present:
                name = finding(ident).name.lower()
                case_says = "present" if held[ident] else "absent"
                yield f"In this case {name} is {case_says}: {sentence}"


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
            next(item.text for item in reversed(request.feed) if type(item) is Line and item.part == "draft")
        )


def review(draft: str) -> SafetyCheck:
    """Review a draft by the first rule it breaks, if any."""
    found = breach(draft)
    if found is None:
        return SafetyCheck(is_safe=True)
    return SafetyCheck.model_validate(
        {
            "is_safe": False,
            "issue_category": found.category,
            "feedback_and_suggestion": f"{found.quote!r} is not acceptable. {found.suggestion}",
        }
    )
