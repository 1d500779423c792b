"""The rubric judge by a language model, asked about items in batches; our code decides what counts.

Every item gets exactly one verdict in every repeat, or the rubric has no score. A verdict that something was
done counts only with a quote found in one of the examinee's lines; a wrong quote is sent back once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from osler.cases.rubrics.model import Item, Rubric
from osler.errors import BadInput
from osler.judging.model import verdicts
from osler.judging.model.cost import Cost
from osler.judging.model.diagnosis import spent
from osler.judging.model.majority import QUOTE, QUOTE_NOT_FOUND, TIED
from osler.judging.model.sampling import Prompt, Sample, ask, ids_of
from osler.judging.model.template import template
from osler.judging.rubric.judgement import RubricJudgement, foregone, unscored
from osler.judging.rubric.lines import Line, Quote, by_examinee, quoted
from osler.judging.rubric.scores import Verdict
from osler.judging.version import model_version
from osler.models.config import Endpoint
from osler.models.types import Message, ModelClient, Sampling
from osler.text.hostile import inert, quoted_block, quoted_line

TEMPLATE: Final = "osler.judging:prompts/judge_rubric.jinja"
VERSION: Final = "2"
"""Increment it with every change to how this judge asks or decides."""
BATCH: Final = 25
_TOP: Final = 1
_LONGEST: Final = 2000


class ModelRubricJudge:
    """A rubric judge by one model. `endpoint` identifies it in the store and in the version; `batch` is the
    number of items per prompt, `repeats` the number of samples of each."""

    def __init__(
        self,
        client: ModelClient,
        endpoint: Endpoint,
        *,
        repeats: int = 1,
        batch: int = BATCH,
        sampling: Sampling = Sampling(),  # noqa: B008 - frozen
    ) -> None:
        for name, number in (("repeats", repeats), ("batch", batch)):
            if number < 1:
                raise BadInput("must be 1 or more", where=name)
        self._client, self._endpoint, self._sampling = client, endpoint, sampling
        self._repeats, self._batch = repeats, batch

    @property
    def grader(self) -> str:
        """The name under which its judgements are stored."""
        return f"rubric:model:{self._endpoint.name}"

    def version(self, rubric: Rubric) -> str:
        """The version, which changes whenever this judge might judge differently by this rubric."""
        own = model_version(
            VERSION,
            template(TEMPLATE),
            self._endpoint,
            self._sampling,
            repeats=self._repeats,
            top=_TOP,
            batch=self._batch,
        )
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
            for at in range(0, len(open_items), self._batch):
                items = open_items[at : at + self._batch]
                samples = await self._asked(items, lines)
                asked = zip(ids_of(len(items)), items, strict=True)
                found |= {item.id: _settled(key, item, samples, lines) for key, item in asked}
                used, names = spent(samples)
                cost, models = cost.plus(used), models | set(names)
        return RubricJudgement(
            grader=self.grader,
            version=self.version(rubric),
            rubric=rubric,
            verdicts=tuple(found[item.id] for item in rubric.items),
            repeats=self._repeats,
            model=self._endpoint.model,
            returned=tuple(sorted(models)),
            cost=cost,
        )

    async def _asked(self, items: Sequence[Item], lines: Sequence[Line]) -> list[Sample]:
        messages = rubric_messages(items, lines)
        prompt = Prompt(messages, len(items), _TOP, _unproven(items, lines), template(TEMPLATE).mending)
        return await ask(self._client, prompt, self._repeats, self._sampling)


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


class _Ballot(NamedTuple):
    holds: bool | None
    reason: str = ""
    quotes: tuple[Quote, ...] = ()
    why: str = ""


def _settled(key: str, item: Item, samples: Sequence[Sample], lines: Sequence[Line]) -> Verdict:
    """The modal verdict over all repeats; a tie leaves the item without one."""
    ballots = [_ballot(key, item, sample, lines) for sample in samples]
    (most, times), *others = Counter(ballot.holds for ballot in ballots).most_common()
    tied = bool(others) and others[0][1] == times
    chosen = _Ballot(None, TIED) if tied else next(ballot for ballot in ballots if ballot.holds == most)
    each = tuple(ballot.holds for ballot in ballots)
    return Verdict(
        item.id, chosen.holds, chosen.reason, chosen.quotes, chosen.why, each, times / len(ballots)
    )


def _ballot(key: str, item: Item, sample: Sample, lines: Sequence[Line]) -> _Ballot:
    if sample.verdicts is None:
        return _Ballot(None, sample.reason)
    given = sample.verdicts[key]
    why = inert(given.why, QUOTE)
    if given.verdict == 0:
        return _Ballot(False, "", (), why)
    quotes = _proof(item, given, lines)
    return _Ballot(None, QUOTE_NOT_FOUND) if quotes is None else _Ballot(True, "", quotes, why)


def _proof(item: Item, given: verdicts.Verdict, lines: Sequence[Line]) -> tuple[Quote, ...] | None:
    """The quotes with their turns, or `None` if they do not prove this item."""
    mine = by_examinee(lines)
    found = [quoted(words, mine) or quoted(words, lines) for words in given.quotes]
    if any(quote is None for quote in found):
        return None
    if _mark(item) == "done" and not any(quoted(words, mine) for words in given.quotes):
        return None
    if _mark(item) == "finding" and not found:
        return None
    return tuple(Quote(quote.turn, inert(quote.text, QUOTE)) for quote in found if quote is not None)


def _unproven(
    items: Sequence[Item], lines: Sequence[Line]
) -> Callable[[dict[str, verdicts.Verdict]], list[str]]:
    """A function that lists the ids in a complete verdict set for `items` that lack proof."""
    asked = dict(zip(ids_of(len(items)), items, strict=True))
    return lambda given: [
        key for key, item in asked.items() if given[key].verdict and _proof(item, given[key], lines) is None
    ]
