"""The rubric judge by a language model, asked about items in batches; our code decides what counts.

Every item gets exactly one verdict in every repeat, or the rubric has no score. A verdict that something was
done counts only with a quote found in one of the examinee's lines; a wrong quote is sent back once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from osler.cases.rubrics.model import Item, Rubric
from osler.errors import BadInput
from osler.judging.lines import Line, Quote, by_examinee, quoted
from osler.judging.model.engine import AsksModel, Proof, Settled, ids_of
from osler.judging.model.template import template
from osler.judging.rubric.judgement import RubricJudgement, foregone, unscored
from osler.judging.rubric.scores import Verdict
from osler.judging.scores import QUOTE, Cost
from osler.models.config import Endpoint
from osler.models.types import Message, ModelClient, Sampling
from osler.text.hostile import inert, quoted_block, quoted_line

TEMPLATE: Final = "osler.judging:prompts/judge_rubric.jinja"
VERSION: Final = "2"
"""Increment it with every change to how this judge asks or decides."""
BATCH: Final = 25
_TOP: Final = 1
_LONGEST: Final = 2000


class ModelRubricJudge(AsksModel):
    """A rubric judge by one model; `batch` is the number of items per prompt."""

    def __init__(
        self,
        client: ModelClient,
        endpoint: Endpoint,
        *,
        repeats: int = 1,
        batch: int = BATCH,
        sampling: Sampling = Sampling(),  # noqa: B008 - frozen
    ) -> None:
        super().__init__(client, endpoint, repeats=repeats, sampling=sampling)
        if batch < 1:
            raise BadInput("must be 1 or more", where="batch")
        self.batch = batch

    @property
    def grader(self) -> str:
        """The name under which its judgements are stored."""
        return f"rubric:model:{self.endpoint.name}"

    def version(self, rubric: Rubric) -> str:
        """The version, which changes whenever this judge might judge differently by this rubric."""
        own = self.version_by(VERSION, template(TEMPLATE), top=_TOP, batch=self.batch)
        return f"{own}-{rubric.digest}"

    async def judge(
        self, rubric: Rubric, lines: Sequence[Line], unscored_because: str = ""
    ) -> RubricJudgement:
        """Judge one transcript. Raises InfrastructureFault, and nothing else.

        Foregone items are judged without asking; `unscored_because` is the reason if none is to be judged.
        """
        cost, models = Cost(), set[str]()
        if unscored_because:
            found = {verdict.id: verdict for verdict in unscored(rubric, unscored_because)}
        else:
            known = (foregone(item, lines) for item in rubric.items)
            found = {verdict.id: verdict for verdict in known if verdict}
            open_items = [item for item in rubric.items if item.id not in found]
            for at in range(0, len(open_items), self.batch):
                items = dict(zip(ids_of(self.batch), open_items[at : at + self.batch], strict=False))
                messages = rubric_messages(tuple(items.values()), lines)
                proofs = {key: _proof(item, lines) for key, item in items.items()}
                asked = await self.verdicts(messages, template(TEMPLATE).mending, proofs, _TOP)
                found |= {item.id: _verdict(item, asked.items[key]) for key, item in items.items()}
                cost, models = cost.plus(asked.cost), models | set(asked.models)
        return RubricJudgement(
            grader=self.grader,
            version=self.version(rubric),
            rubric=rubric,
            verdicts=tuple(found[item.id] for item in rubric.items),
            repeats=self.repeats,
            model=self.endpoint.model,
            returned=tuple(sorted(models)),
            cost=cost,
        )


def rubric_messages(items: Sequence[Item], lines: Sequence[Line]) -> tuple[Message, Message]:
    """The prompt, with the part that all batches of a transcript share first, for prefix caching."""
    said = (
        quoted_line(f"l{n} turn {each.turn} {each.source}", each.text)
        for n, each in enumerate(lines, start=1)
    )
    asked = zip(ids_of(len(items)), items, strict=True)
    slots = {
        "transcript": quoted_block("transcript", said),
        "items": quoted_block(
            "items", (quoted_line(f"{key} {_mark(item)}", item.text, _LONGEST) for key, item in asked)
        ),
        "ids": ", ".join(ids_of(len(items))),
    }
    return template(TEMPLATE).render(slots)


def _mark(item: Item) -> str:
    if item.traits.by_absence:
        return "absence"
    return "finding" if item.traits.finding else "done"


def _proof(item: Item, lines: Sequence[Line]) -> Proof[Quote]:
    """The proof of an item: all quotes occur, and something done is quoted from the examinee's lines."""
    mine, mark = by_examinee(lines), _mark(item)

    def proof(words: Sequence[str]) -> tuple[Quote, ...] | None:
        own = [quoted(each, mine) for each in words]
        found = [quote or quoted(each, lines) for quote, each in zip(own, words, strict=True)]
        if any(quote is None for quote in found):
            return None
        if (mark == "done" and not any(own)) or (mark == "finding" and not found):
            return None
        return tuple(Quote(quote.turn, inert(quote.text, QUOTE)) for quote in found if quote is not None)

    return proof


def _verdict(item: Item, found: Settled[Quote]) -> Verdict:
    holds, *each = (None if value is None else bool(value) for value in (found.value, *found.verdicts))
    return Verdict(item.id, holds, found.reason, found.quotes, found.why, tuple(each), found.agreement)
