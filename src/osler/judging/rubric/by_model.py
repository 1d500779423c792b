"""The rubric judge by a language model, asked about items in portions; our code decides what counts.

Every item gets exactly one verdict in every repeat, or the rubric has no score. A verdict that something was
done counts only with a quote found in one of the examinee's lines; a wrong quote is sent back once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from osler.cases.rubrics.model import Rubric, RubricItem
from osler.judging.lines import JudgedLine, Quote, by_examinee, quoted
from osler.judging.model.engine import AsksModel, JudgedItem, Proof, Settled, Verdicts
from osler.judging.model.template import template
from osler.judging.rubric.judgement import RubricJudgement, foregone, unscored
from osler.judging.rubric.scores import Verdict
from osler.judging.scores import NO_COST, QUOTE
from osler.text.hostile import inert, quoted_block, quoted_line

TEMPLATE: Final = "osler.judging:prompts/judge_rubric.jinja"
VERSION: Final = "3"
"""Increment it with every change to how this judge asks or decides."""
_TOP: Final = 1


class ModelRubricJudge(AsksModel):
    """A rubric judge by one model."""

    @property
    def grader(self) -> str:
        """The name under which its judgements are stored."""
        return f"rubric:model:{self.endpoint.name}"

    def version(self, rubric: Rubric) -> str:
        """The version, which changes whenever this judge might judge differently by this rubric."""
        own = self.version_by(VERSION, template(TEMPLATE), top=_TOP)
        return f"{own}-{rubric.digest}"

    async def judge(
        self, rubric: Rubric, lines: Sequence[JudgedLine], unscored_because: str = ""
    ) -> RubricJudgement:
        """Judge one transcript. Raises InfrastructureFault, and nothing else.

        Foregone items are judged without asking; `unscored_because` is the reason if none is to be judged.
        """
        verdicts: Verdicts[Quote] = Verdicts({}, NO_COST, ())
        if unscored_because:
            result = {verdict.id: verdict for verdict in unscored(rubric, unscored_because)}
        else:
            known = (foregone(item, lines) for item in rubric.items)
            result = {verdict.id: verdict for verdict in known if verdict}
            items = asked_about([item for item in rubric.items if item.id not in result], lines)
            verdicts = await self.verdicts(template(TEMPLATE), slots_of(lines), items, _TOP)
            result |= {key: _verdict(key, one) for key, one in verdicts.items.items()}
        return RubricJudgement(
            grader=self.grader,
            version=self.version(rubric),
            rubric=rubric,
            verdicts=tuple(result[item.id] for item in rubric.items),
            repeats=self.repeats,
            model=self.endpoint.model,
            returned=verdicts.models,
            portion=self.portion,
            cost=verdicts.cost,
        )


def slots_of(lines: Sequence[JudgedLine]) -> dict[str, str]:
    """The slots of what is judged: the transcript, as a block of the prompt."""
    said = [
        quoted_line(f"l{n} turn {each.turn} {each.source}", each.text)
        for n, each in enumerate(lines, start=1)
    ]
    return {"transcript": quoted_block("transcript", said)}


def asked_about(items: Iterable[RubricItem], lines: Sequence[JudgedLine]) -> dict[str, JudgedItem[Quote]]:
    """The items as a model is asked about them, by id."""
    return {item.id: JudgedItem(_mark(item), item.text, _proof(item, lines)) for item in items}


def _mark(item: RubricItem) -> str:
    if item.traits.by_absence:
        return "absence"
    return "finding" if item.traits.finding else "done"


def _proof(item: RubricItem, lines: Sequence[JudgedLine]) -> Proof[Quote]:
    """The proof of an item: all quotes occur, and something done is quoted from the examinee's lines."""
    mine, mark = by_examinee(lines), _mark(item)

    def proof(words: Sequence[str]) -> tuple[Quote, ...] | None:
        own = [quoted(each, mine) for each in words]
        result = [quote or quoted(each, lines) for quote, each in zip(own, words, strict=True)]
        if any(quote is None for quote in result):
            return None
        if (mark == "done" and not any(own)) or (mark == "finding" and not result):
            return None
        return tuple(Quote(quote.turn, inert(quote.text, QUOTE)) for quote in result if quote is not None)

    return proof


def _verdict(id: str, found: Settled[Quote]) -> Verdict:
    holds, *each = (None if value is None else bool(value) for value in (found.value, *found.verdicts))
    return Verdict(id, holds, found.reason, found.quotes, found.why, tuple(each), found.agreement)
