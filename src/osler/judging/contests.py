"""Contested items: "I did that", in the learner's words, and a teacher's answer to it.

They are kept beside an episode's judgements under a grader of their own and change none of them: the verdict
stays as it was, and what a teacher accepts makes a second figure. An item is an id and a text, whichever
judge or case it comes from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from pydantic_core import from_json, to_json

from osler.core.judge import Verdict as StoredVerdict
from osler.errors import BadInput
from osler.judging.grader_notes import FORMATIVE
from osler.judging.rubric.judgement import RubricJudgement
from osler.text.hostile import inert

GRADER: Final = "learner:contest"
VERSION: Final = "1"
LONGEST: Final = 600
"""The longest words and comments kept, in characters."""
Answer = Literal["", "accept", "refuse"]
ANSWERS: Final[tuple[Answer, ...]] = ("accept", "refuse")


class Contest(NamedTuple):
    """A contested item; `words` are the learner's (empty if a teacher marked it unasked), `answer` is empty
    while it waits."""

    item: str
    text: str
    words: str
    answer: Answer = ""
    comment: str = ""
    by: str = ""


def contests_in(bodies: Iterable[str]) -> tuple[Contest, ...]:
    """The contested items of an episode, from the bodies of its stored judgements."""
    contests: tuple[Contest, ...] = ()
    for body in bodies:
        held = _json(body)
        if held.get("grader") == GRADER:
            contests = tuple(_contest(one) for one in held.get("contests", ()))
    return contests


def contested(before: Sequence[Contest], item: str, text: str, words: str) -> tuple[Contest, ...]:
    """The contested items with another one. Said again, the words are replaced and wait anew.

    Raises BadInput without words.
    """
    said = inert(words, LONGEST).strip()
    if not said:
        raise BadInput("say in your own words what you did or said", where="WORDS")
    return (*(one for one in before if one.item != item), Contest(item, text, said))


def answered(
    before: Sequence[Contest], item: str, text: str, answer: Answer, comment: str, by: str
) -> tuple[Contest, ...]:
    """The contested items with a teacher's answer to one; a teacher may also mark one nobody contested.

    Raises BadInput without a name.
    """
    name = inert(by, 60).strip()
    if not name:
        raise BadInput("say who answers", where="--by")
    contest = next((one for one in before if one.item == item), Contest(item, text, ""))
    fresh = contest._replace(answer=answer, comment=inert(comment, LONGEST).strip(), by=name)
    return (*(one for one in before if one.item != item), fresh)


def stored(contests: Sequence[Contest]) -> StoredVerdict:
    """The contested items in the form of a stored judgement without scores."""
    body = {
        "grader": GRADER,
        "version": VERSION,
        "scores": {},
        "use": FORMATIVE,
        "contests": [one._asdict() for one in contests],
    }
    return StoredVerdict(GRADER, VERSION, to_json(body).decode())


def items_to_contest(bodies: Iterable[str], case: str | None) -> dict[str, str]:
    """The items that can be contested, their texts by their ids.

    They are those of the stored judgements by rubrics, or else the decisive steps and the safety acts of the
    case, given as JSON.
    """
    items = {}
    for body in bodies:
        for item in _json(body).get("items", ()):
            if isinstance(item, dict) and "id" in item and "text" in item:
                items[str(item["id"])] = str(item["text"])
    if items or case is None:
        return items
    held = _json(case)
    management = held.get("management") or {}
    steps = [*(management.get("key_features") or ()), *(held.get("safety") or ())]
    return {str(step["id"]): str(step["what"]) for step in steps}


def item_named(items: Mapping[str, str], wanted: str) -> str:
    """The id of an item by its number from 1, its id, a beginning of it, or words that only it has.

    Raises BadInput that lists the items.
    """
    ids = list(items)
    if wanted in items:
        return wanted
    if wanted.isdecimal() and 0 < int(wanted) <= len(ids):
        return ids[int(wanted) - 1]
    low = wanted.strip().lower()
    result = [name for name in ids if low and (name.startswith(low) or low in items[name].lower())]
    if len(result) == 1:
        return result[0]
    shown = "; ".join(f"{number} {name[:4]} {items[name][:60]}" for number, name in enumerate(ids, start=1))
    what = "may be several items" if result else "is no item"
    raise BadInput(f"{wanted[:60]!r} {what}", where="ITEM", hint=shown or "the episode has no items")


def accepted_in(contests: Iterable[Contest]) -> frozenset[str]:
    """The ids of the items that a teacher accepted."""
    return frozenset(one.item for one in contests if one.answer == "accept")


def with_accepted(judgement: RubricJudgement, accepted: frozenset[str]) -> RubricJudgement:
    """The judgement with the items that a teacher accepted taken as met: the second figure, kept nowhere. The
    same object if nothing was accepted."""
    if accepted.isdisjoint(judgement.by_id):
        return judgement
    return RubricJudgement(
        grader=judgement.grader,
        version=judgement.version,
        rubric=judgement.rubric,
        verdicts=tuple(
            each._replace(holds=True, open="") if each.id in accepted else each for each in judgement.verdicts
        ),
    )


def contest_lines(contest: Contest) -> Iterator[str]:
    """A contested item in words, for the learner and the teacher."""
    if contest.words:
        yield f'objection: "{contest.words}"'
    if not contest.answer:
        yield "waits for a teacher"
    else:
        text = f": {contest.comment}" if contest.comment else ""
        yield f"{'accepted' if contest.answer == 'accept' else 'refused'} by {contest.by}{text}"


def _contest(one: Mapping[str, Any]) -> Contest:  # Any: JSON as it was stored
    answer = one.get("answer", "")
    return Contest(
        item=str(one["item"]),
        text=str(one.get("text", "")),
        words=str(one.get("words", "")),
        answer=answer if answer in ANSWERS else "",
        comment=str(one.get("comment", "")),
        by=str(one.get("by", "")),
    )


def _json(text: str) -> dict[str, Any]:
    value = from_json(text)
    return value if isinstance(value, dict) else {}
