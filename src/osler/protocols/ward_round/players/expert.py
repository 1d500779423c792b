"""The built-in expert: gives general knowledge of a condition, and says nothing about the case at hand."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from osler.core.contract import OwnReply, Request
from osler.knowledge.conditions import Condition, knowledge
from osler.protocols.ward_round.events import RoundLine
from osler.protocols.ward_round.seats import ExpertView, Explanation, Explanations

_ADVICE: Final = re.compile(
    r"\b(?:(?:this|our|the|my|your) (?:patient|case|man|woman|child|boy|girl|baby|diagnosis)"
    r"|should (?:we|i|he|she)|(?:he|she|him|her|his|hers)|next step|is it"
    r"|what (?:do|should|would|can) (?:we|i|you))\b",
    re.IGNORECASE,
)
_LIKELY: Final = 0.4
_NAMED: Final = 8
_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[,;:.?!()]")
_LONGEST_NAME: Final = 7
# The words that may stand beside a name without making it another one: "the odontoid fracture" and "diabetes
# insipidus" are no fracture and no diabetes that the expert knows.
_BEFORE: Final = frozenset(
    "the a an of in about is are was does do did can could and or with for from by to on at between than has"
    " have had how what which when why would like as typical classic untreated acute suspected definite early"
    " late mild severe called named term versus vs".split()
)
_AFTER: Final = frozenset(
    "is are was does do did can could would and or in than look looks like present presents presenting show"
    " shows feel feels cause causes differ differs start starts begin begins develop develops usually"
    " typically normally commonly often classically generally mean means have has versus vs when if please"
    " again exactly typical at recognised recognized diagnosed treated seen suspected".split()
)


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
            elif type(item) is RoundLine and item.part == "query":
                queries.append(item.text)
        return Explanations(explanations=tuple(explain(query) for query in queries))


def explain(query: str) -> Explanation:
    """Explain the condition that a query names, in general; advice on a case is refused."""
    condition = None if _ADVICE.search(query) else _condition_in(query[:1000])
    if condition is None:
        return Explanation(answer_provided=False)
    likely = sorted(condition.findings.items(), key=lambda pair: (-pair[1], pair[0]))
    column = {item.id: item.name.lower() for item in knowledge().findings}
    names = [column[ident] for ident, p in likely if p >= _LIKELY and ident in column][:_NAMED]
    if not names:
        return Explanation(answer_provided=False)
    return Explanation(
        answer_provided=True, explanation=f"Typical of {condition.name.lower()}: {', '.join(names)}."
    )


@lru_cache(maxsize=1024)
def _condition_in(query: str) -> Condition | None:
    """The condition that a query names: the one with the longest name in it, if the words beside the name
    leave it what it is. A part of another name ("Odontoid fracture") is no name."""
    words = _WORD.findall(query)
    for length in range(min(_LONGEST_NAME, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            named = words[start : start + length]
            beside = (words[:start][-1:], _BEFORE), (words[start + length :][:1], _AFTER)
            if all(_stands_alone(word, kept) for word, kept in beside) and (
                result := knowledge().condition(" ".join(named))
            ):
                return result
    return None


def _stands_alone(beside: list[str], kept: frozenset[str]) -> bool:
    """Whether the word beside a name, if there is one, is a mark or one of the words `kept` from it."""
    return not beside or not beside[0][0].isalnum() or beside[0].lower() in kept
