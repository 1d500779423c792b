"""Diagnosis matching by a model: whether a free-text answer means the reference diagnosis."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple

from osler.judging.lines import Line, lines_said
from osler.judging.model.engine import AsksModel, Settled, ids_of, standing_in
from osler.judging.model.template import template
from osler.judging.scores import Cost
from osler.models.types import Message
from osler.text.hostile import quoted_block, quoted_line

TEMPLATE: Final = "osler.judging:prompts/judge_diagnosis.jinja"
VERSION: Final = "2"
"""Increment it with every change to how this judge asks or decides."""
_TOP: Final = 1
_LONGEST: Final = 1000
(_ID,) = ids_of(1)


class Equivalence(NamedTuple):
    """A comparison. `same` is `None` if the model gave no valid verdict; `why` is then the reason."""

    same: bool | None
    why: str
    result: Settled[str]
    cost: Cost
    models: tuple[str, ...]


class DiagnosisJudge(AsksModel):
    """A judge that compares an answer with a reference, by majority over `repeats` samples."""

    @cached_property
    def version(self) -> str:
        """The version, which changes whenever this judge might judge differently."""
        return self.version_by(VERSION, template(TEMPLATE), top=_TOP)

    async def same(self, answer: str, reference: str, accepts: Sequence[str] = ()) -> Equivalence:
        """Compare `answer` with `reference` and its alternatives `accepts`. Raises InfrastructureFault."""
        lines = lines_said("diagnosis", answer)
        messages = equivalence_messages(lines, reference, accepts)
        proofs = {_ID: standing_in(lines)}
        found = await self.verdicts(messages, template(TEMPLATE).mending, proofs, _TOP)
        result = found.items[_ID]
        same = None if result.value is None else result.value == 1
        why = result.why if same is not None else result.reason
        return Equivalence(same, why, result, found.cost, found.models)


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
        "ids": _ID,
    }
    return template(TEMPLATE).render(slots)
