"""Diagnosis matching by a model: whether a free-text answer means the reference diagnosis."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple

from osler.errors import BadInput
from osler.judging.model.cost import Cost
from osler.judging.model.items import Item
from osler.judging.model.majority import Result, settle, unproven
from osler.judging.model.sampling import Prompt, Sample, ask
from osler.judging.model.template import template
from osler.judging.model.transcript import Line, lines_said
from osler.judging.version import model_version
from osler.models.config import Endpoint
from osler.models.types import Message, ModelClient, Sampling
from osler.text.hostile import inert, quoted_block, quoted_line

TEMPLATE: Final = "osler.judging:prompts/judge_diagnosis.jinja"
VERSION: Final = "2"
"""Increment it with every change to how this judge asks or decides."""
_TOP: Final = 1
_LONGEST: Final = 1000
_ITEM: Final = Item("i1", "correct", "The answer means the reference")


class Equivalence(NamedTuple):
    """A comparison. `same` is `None` if the model gave no valid verdict; `why` is then the reason."""

    same: bool | None
    why: str
    result: Result
    cost: Cost
    models: tuple[str, ...]


class DiagnosisJudge:
    """A judge that compares an answer with a reference, by majority over `repeats` samples.

    `sampling` is left to the endpoint unless given; a temperature can also be set in the endpoint's `extra`.
    """

    def __init__(
        self,
        client: ModelClient,
        endpoint: Endpoint,
        *,
        repeats: int = 1,
        sampling: Sampling = Sampling(),  # noqa: B008 - frozen
    ) -> None:
        if repeats < 1:
            raise BadInput("a judge is asked at least once", where="repeats")
        self._client, self._endpoint = client, endpoint
        self._repeats, self._sampling = repeats, sampling

    @cached_property
    def version(self) -> str:
        """The version, which changes whenever this judge might judge differently."""
        return model_version(
            VERSION, template(TEMPLATE), self._endpoint, self._sampling, repeats=self._repeats, top=_TOP
        )

    async def same(self, answer: str, reference: str, accepts: Sequence[str] = ()) -> Equivalence:
        """Compare `answer` with `reference` and its alternatives `accepts`. Raises InfrastructureFault."""
        lines = lines_said("diagnosis", answer)
        messages = equivalence_messages(lines, reference, accepts)
        prompt = Prompt(messages, 1, _TOP, unproven((_ITEM,), lines), template(TEMPLATE).mending)
        samples = await ask(self._client, prompt, self._repeats, self._sampling)
        result = settle(_ITEM, samples, lines)
        same = None if result.value is None else result.value == 1
        return Equivalence(same, result.why if same is not None else result.reason, result, *spent(samples))


def equivalence_messages(
    answer: Sequence[Line], reference: str, accepts: Sequence[str]
) -> tuple[Message, Message]:
    """The prompt of a comparison: the system and the user message."""
    right = [
        quoted_line("reference", reference, _LONGEST),
        *(quoted_line("accepted", a, _LONGEST) for a in accepts),
    ]
    slots = {
        "reference": quoted_block("reference", right),
        "answer": quoted_block(
            "answer", (quoted_line(f"t{n} answer", said.text) for n, said in enumerate(answer, 1))
        ),
        "ids": _ITEM.id,
    }
    return template(TEMPLATE).render(slots)


def spent(samples: Sequence[Sample]) -> tuple[Cost, tuple[str, ...]]:
    """The total cost of samples, and the model names that the endpoint returned."""
    cost = Cost()
    for sample in samples:
        cost = cost.plus(sample.cost)
    return cost, tuple(sorted({inert(sample.model, _LONGEST) for sample in samples if sample.model}))
