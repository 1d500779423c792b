"""The built-in expert: gives general knowledge of a condition, and says nothing about the case at hand."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from osler.core.contract import OwnReply, Request
from osler.knowledge.conditions import Condition, knowledge
from osler.protocols.ward_round.events import Line
from osler.protocols.ward_round.seats import ExpertView, Explanation, Explanations

_ADVICE: Final = re.compile(
    r"\b(?:(?:this|our|the|my|your) (?:patient|case|man|woman|child|boy|girl|baby|diagnosis)"
    r"|should (?:we|i|he|she)|(?:he|she|him|her|his|hers)|next step|is it"
    r"|what (?:do|should|would|can) (?:we|i|you))\b",
    re.IGNORECASE,
)
_LIKELY: Final = 0.4
_NAMED: Final = 8
_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_LONGEST_NAME: Final = 7


class BaselineExpert:
    """The built-in expert, which answers each query since it was last asked."""

    name: Final = "baseline"
    durable: Final = False

    async def reply(self, request: Request[ExpertView]) -> Explanations:
        """Give an explanation for each query, in order."""
        queries: list[str] = []
        for item in request.feed:
            if type(item) is OwnReply:
                queries = []
            elif type(item) is Line and item.part == "query":
                queries.append(item.text)
        return Explanations(explanations=tuple(explain(query) for query in queries))


def explain(query: str) -> Explanation:
    """Explain the condition that a query names, in general; advice on a case is refused."""
    named = None if _ADVICE.search(query) else _condition_in(query[:1000])
    if named is None:
        return Explanation(answer_provided=False)
    likely = sorted(named.findings.items(), key=lambda pair: (-pair[1], pair[0]))
    column = {item.id: item.name.lower() for item in knowledge().findings}
    names = [column[ident] for ident, p in likely if p >= _LIKELY and ident in column][:_NAMED]
    if not names:
        return Explanation(answer_provided=False)
    return Explanation(
        answer_provided=True, explanation=f"Typical of {named.name.lower()}: {', '.join(names)}."
    )


@lru_cache(maxsize=1024)
def _condition_in(query: str) -> Condition | None:
    """The condition with the longest name in a query, if any."""
    words = _WORD.findall(query)
    for length in range(min(_LONGEST_NAME, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            if found := knowledge().condition(" ".join(words[start : start + length])):
                return found
    return None
