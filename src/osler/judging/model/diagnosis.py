"""Diagnosis matching by a model: what a free-text answer says of the reference diagnosis (the physician's
convention of `osler.judging.diagnosis.judged`, in the same words)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple

from osler.judging.diagnosis.judged import RIGHT, Word
from osler.judging.lines import JudgedLine, lines_said
from osler.judging.model.engine import AsksModel, JudgedItem, Settled, standing_in
from osler.judging.model.template import template
from osler.judging.scores import Cost
from osler.text.hostile import quoted_block, quoted_line

TEMPLATE: Final = "osler.judging:prompts/judge_diagnosis.jinja"
VERSION: Final = "4"
"""Increment it with every change to how this judge asks or decides."""
WORDS: Final[tuple[Word, ...]] = (
    "different",
    "same",
    "narrower",
    "narrower_unsupported",
    "broader",
    "list",
)
"""The verdicts by number, as the prompt has them."""
_TOP: Final = len(WORDS) - 1
_UNSUPPORTED: Final = WORDS.index("narrower_unsupported")
_NARROWER: Final = WORDS.index("narrower")
_NO_CASE: Final = "(no case is given)"
_LONGEST: Final = 1000
_ID: Final = "answer"


class Equivalence(NamedTuple):
    """A comparison. `verdict` is `None` if the model gave no valid one; `why` is then the reason."""

    verdict: Word | None
    why: str
    result: Settled[str]
    cost: Cost
    models: tuple[str, ...]

    @property
    def same(self) -> bool | None:
        """Whether the answer counts as right; `None` without a verdict."""
        return None if self.verdict is None else self.verdict in RIGHT


class DiagnosisJudge(AsksModel):
    """A judge that compares an answer with a reference, by majority over `repeats` samples."""

    @cached_property
    def version(self) -> str:
        """The version, which changes whenever this judge might judge differently."""
        return self.version_by(VERSION, template(TEMPLATE), top=_TOP)

    async def same(
        self,
        answer: str,
        reference: str,
        accepts: Sequence[str] = (),
        case: Sequence[tuple[str, str]] = (),
    ) -> Equivalence:
        """Compare `answer` with `reference` and its alternatives `accepts`; the lines of the `case`, each
        with its label, bear out what it adds. Raises InfrastructureFault."""
        lines = lines_said("diagnosis", answer)
        slots = equivalence_slots(lines, reference, accepts, case)
        items = {_ID: JudgedItem("answer", answer, standing_in(lines))}
        verdicts = await self.verdicts(template(TEMPLATE), slots, items, _TOP)
        result = verdicts.items[_ID]
        if result.value is None:
            return Equivalence(None, result.reason, result, verdicts.cost, verdicts.models)
        # Without a case nothing can be said to lack support.
        number = _NARROWER if result.value == _UNSUPPORTED and not case else result.value
        return Equivalence(WORDS[number], result.why, result, verdicts.cost, verdicts.models)


def equivalence_slots(
    answer: Sequence[JudgedLine],
    reference: str,
    accepts: Sequence[str],
    case: Sequence[tuple[str, str]] = (),
) -> dict[str, str]:
    """The blocks of a comparison: reference, answer and case."""
    right = [
        quoted_line("reference", reference, _LONGEST),
        *(quoted_line("accepted", a, _LONGEST) for a in accepts),
    ]
    cases = [quoted_line(label, text, _LONGEST) for label, text in case] or [quoted_line("note", _NO_CASE)]
    return {
        "reference": quoted_block("reference", right),
        "answer": quoted_block(
            "answer", (quoted_line(f"t{n} answer", line.text) for n, line in enumerate(answer, 1))
        ),
        "case": quoted_block("case", cases),
    }
