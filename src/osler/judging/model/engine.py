"""The engine of model judges: a model is asked k times, and our code decides what its answers are worth.

Items are asked about in portions, so that no answer is cut (`osler.judging.model.verdicts`). A portion's set
of verdicts is complete or it is asked for again; then its items are unscored, by cause. A verdict other than
0 counts only with quotes that prove it; quotes that are not found are sent back once. Over k samples the
modal verdict of each item wins, and a tie leaves the item without one, `tied`. A judge gives what is judged,
the items with their proofs, and the highest verdict; one whose answers are not verdicts on items gives its
own form of answer (`samples`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, Generic, NamedTuple, TypeVar

from pydantic_core import to_json

from osler.core.judge import PORTION, version_of
from osler.errors import BadInput
from osler.judging.lines import JudgedLine, quoted
from osler.judging.model.template import Messages, Template
from osler.judging.model.verdicts import (
    Verdict,
    answer_json,
    complete_set,
    ids_of,
    output_of,
    portion_within,
)
from osler.judging.scores import QUOTE, Cost
from osler.models.config import Endpoint
from osler.models.faults import Kind, ModelAnswerError
from osler.models.types import Attempt, CompletionRequest, Message, ModelClient, Output, Sampling
from osler.text.hostile import inert, quoted_block, quoted_line
from osler.text.languages import ENGLISH, notice_to_judge

A = TypeVar("A")
Q = TypeVar("Q")

INCOMPLETE: Final = "judge_incomplete"
QUOTE_NOT_FOUND: Final = "quote_not_found"
TIED: Final = "tied"
_LONGEST_NAME: Final = 1000
_LONGEST_ITEM: Final = 2000
_APART: Final = 10_000
"""How far the seed of a second look is from the first's, so that it is none of another sample's."""
_NO_SET: Final = frozenset({Kind.UNPARSABLE, Kind.INVALID})
"""The faults of an answer that leave no set; any other is a cause of its own, such as `judge_length`."""

Proof = Callable[[Sequence[str]], tuple[Q, ...] | None]
"""The proof of one item: maps the words a model quotes to the quotes that prove a verdict other than 0;
`None` if they prove nothing."""


_language: ContextVar[str] = ContextVar("language", default=ENGLISH)


@contextmanager
def held_in(language: str) -> Iterator[None]:
    """Within it, model judges are told that what they judge was held in a language (by its code)."""
    token = _language.set(language)
    try:
        yield
    finally:
        _language.reset(token)


class JudgedItem(NamedTuple, Generic[Q]):
    """An item to be judged: the word before its text, the text, which is data, and what proves a verdict."""

    label: str
    text: str
    proof: Proof[Q]


class Sample(NamedTuple, Generic[A]):
    """One answer, or `None` and the reason. `model` is the name the endpoint returned."""

    answer: A | None
    reason: str
    cost: Cost
    model: str | None = None


class Settled(NamedTuple, Generic[Q]):
    """An item's outcome over all samples.

    `value` is the majority verdict, or `None` with the `reason`; `verdicts` holds each sample's, `agreement`
    is the share of samples with the modal verdict. `quotes` and `why` are those of the first such sample.
    """

    value: int | None
    reason: str
    verdicts: tuple[int | None, ...]
    agreement: float
    quotes: tuple[Q, ...] = ()
    why: str = ""


class Verdicts(NamedTuple, Generic[Q]):
    """The outcomes of all items by id, their cost, and the model names that the endpoint returned."""

    items: dict[str, Settled[Q]]
    cost: Cost
    models: tuple[str, ...]


class AsksModel:
    """Base of the judges that ask one model `repeats` times, about no more than `batch` items at once.
    `endpoint` identifies it in the store and in the version; `sampling` is left to the endpoint unless given.
    Raises BadInput for less than one repeat or item."""

    def __init__(
        self,
        client: ModelClient,
        endpoint: Endpoint,
        *,
        repeats: int = 1,
        batch: int = PORTION,
        sampling: Sampling = Sampling(),  # noqa: B008 - frozen
    ) -> None:
        if repeats < 1:
            raise BadInput("a judge is asked at least once", where="repeats")
        if batch < 1:
            raise BadInput("must be 1 or more", where="batch")
        self.client, self.endpoint = client, endpoint
        self.repeats, self.sampling = repeats, sampling
        self.portion = min(batch, portion_within(endpoint.max_answer_tokens))

    def version_by(self, number: str, text: Template, *, top: int) -> str:
        """The version of a judge that asks for verdicts from 0 to `top`, a portion of items at a time."""
        return version_of(
            number,
            template=text,
            schema=output_of(self.portion, top).digest,
            model=self.endpoint.model,
            extra=sorted((name, to_json(value).decode()) for name, value in self.endpoint.settings.items()),
            sampling=self.sampling.model_dump(),
            repeats=self.repeats,
            portion=self.portion,
        )

    async def verdicts(
        self, text: Template, slots: Mapping[str, str], items: Mapping[str, JudgedItem[Q]], top: int
    ) -> Verdicts[Q]:
        """Ask for a verdict from 0 to `top` on each item, by its judge's id, and settle them.

        `slots` are those of what is judged; the items of a portion fill `items` and `ids` in the template's
        last message. Faults that are not the model's own are raised.
        """
        settled: dict[str, Settled[Q]] = {}
        samples: list[Sample[dict[str, Verdict]]] = []
        for named, messages in portions(text, slots, items, self.portion):
            portion = {name: items[key] for name, key in named.items()}
            asked = await self._portion(messages, text.mending, portion, top)
            for name, key in named.items():
                proof = items[key].proof
                settled[key] = _settled([_ballot(sample, name, proof) for sample in asked])
            samples += asked
        return Verdicts(settled, *spent(samples))

    async def _portion(
        self,
        messages: Messages,
        mending: Callable[[Sequence[str]], Message],
        items: Mapping[str, JudgedItem[Q]],
        top: int,
    ) -> list[Sample[dict[str, Verdict]]]:
        """The samples of one portion, drawn one after the other."""
        read = complete_set(tuple(items), top)
        samples: list[Sample[dict[str, Verdict]]] = []
        for number in range(self.repeats):
            request = self._request(messages, output_of(len(items), top), number)
            first = await self._answer(request, read)
            samples.append(await self._mended(request, read, first, items, mending))
        return samples

    async def samples(
        self, messages: Messages, output: Output, read: Callable[[object], A]
    ) -> list[Sample[A]]:
        """Draw the samples one after the other; an answer that `read` refuses with ValueError is asked for
        again. Faults that are not the model's own are raised."""
        return [
            await self._answer(self._request(messages, output, number), read)
            for number in range(self.repeats)
        ]

    def _request(self, messages: Messages, output: Output, number: int) -> CompletionRequest:
        rules, *asked = messages
        if notice := notice_to_judge(_language.get()):
            rules = rules._replace(text=f"{rules.text}\n\n{notice}")
        return CompletionRequest(
            messages=(rules, *asked),
            sampling=self.sampling,
            seed=number,
            output=output,
            sample=number,
            seat="judge",
        )

    async def _answer(self, request: CompletionRequest, read: Callable[[object], A]) -> Sample[A]:
        try:
            result = await self.client.complete(request, validate=read)
        except ModelAnswerError as error:
            reason = INCOMPLETE if error.kind in _NO_SET else f"judge_{error.kind}"
            return Sample(None, reason, _cost_of(error.attempts))
        cost = Cost() if result.from_cache else _cost_of(result.attempts)
        return Sample(result.parsed, "", cost, result.model)

    async def _mended(
        self,
        request: CompletionRequest,
        read: Callable[[object], dict[str, Verdict]],
        first: Sample[dict[str, Verdict]],
        items: Mapping[str, JudgedItem[Q]],
        mending: Callable[[Sequence[str]], Message],
    ) -> Sample[dict[str, Verdict]]:
        """Ask once more about items whose quotes were not found; only those are taken from the second."""
        verdicts = first.answer or {}
        ids = [key for key, one in verdicts.items() if one.verdict and items[key].proof(one.quotes) is None]
        if not ids:
            return first
        message = Message(role="assistant", text=answer_json(verdicts.values()))
        again = request._replace(
            messages=(*request.messages, message, mending(ids)), seed=(request.seed or 0) + _APART
        )
        second = await self._answer(again, read)
        mended = {key: second.answer[key] for key in ids} if second.answer else {}
        return first._replace(answer=verdicts | mended, cost=first.cost.plus(second.cost))


def portions(
    text: Template, slots: Mapping[str, str], items: Mapping[str, JudgedItem[Q]], size: int
) -> Iterator[tuple[dict[str, str], Messages]]:
    """The portions of up to `size` items: each with its items' ids by their names in it, and its prompt, of
    which only the last message differs from the others'."""
    shared, keys = text.shared(slots), tuple(items)
    for at in range(0, len(keys), size):
        named = dict(zip(ids_of(size), keys[at : at + size], strict=False))
        told = [
            quoted_line(f"{name} {items[key].label}", items[key].text, _LONGEST_ITEM)
            for name, key in named.items()
        ]
        yield named, (*shared, text.asking({"items": quoted_block("items", told), "ids": ", ".join(named)}))


def standing_in(lines: Sequence[JudgedLine]) -> Proof[str]:
    """The proof by quotes that all occur in these lines, at least one."""

    def proof(words: Sequence[str]) -> tuple[str, ...] | None:
        if not words or any(quoted(quote, lines) is None for quote in words):
            return None
        return tuple(inert(quote, QUOTE) for quote in words)

    return proof


def spent(samples: Iterable[Sample[A]]) -> tuple[Cost, tuple[str, ...]]:
    """The total cost of samples, and the model names that the endpoint returned."""
    cost, models = Cost(), set[str]()
    for sample in samples:
        cost = cost.plus(sample.cost)
        if sample.model:
            models.add(inert(sample.model, _LONGEST_NAME))
    return cost, tuple(sorted(models))


class _Ballot(NamedTuple, Generic[Q]):
    value: int | None
    reason: str = ""
    quotes: tuple[Q, ...] = ()
    why: str = ""


def _settled(ballots: Sequence[_Ballot[Q]]) -> Settled[Q]:
    (most, times), *others = Counter(ballot.value for ballot in ballots).most_common()
    tied = bool(others) and others[0][1] == times
    first = next(ballot for ballot in ballots if ballot.value == most)
    chosen: _Ballot[Q] = _Ballot(None, TIED) if tied else first
    verdicts = tuple(ballot.value for ballot in ballots)
    return Settled(chosen.value, chosen.reason, verdicts, times / len(ballots), chosen.quotes, chosen.why)


def _ballot(sample: Sample[dict[str, Verdict]], key: str, proof: Proof[Q]) -> _Ballot[Q]:
    if sample.answer is None:
        return _Ballot(None, sample.reason)
    verdict = sample.answer[key]
    why = inert(verdict.why, QUOTE)
    if verdict.verdict == 0:
        return _Ballot(0, why=why)
    quotes = proof(verdict.quotes)
    return _Ballot(None, QUOTE_NOT_FOUND) if quotes is None else _Ballot(verdict.verdict, "", quotes, why)


def _cost_of(attempts: Iterable[Attempt]) -> Cost:
    pairs = [(each.usage.prompt_tokens or 0, each.usage.completion_tokens or 0) for each in attempts]
    return Cost(len(pairs), sum(prompt for prompt, _ in pairs), sum(answer for _, answer in pairs))
