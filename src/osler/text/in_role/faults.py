"""Answers that are none: what a model says instead of speaking in its role, in any seat.

A refusal is the assistant's own: "I can't help with that". A patient who can't lift an arm or would rather
not say refuses within the role. Out of the role are an assistant that speaks of itself, control words and
template tokens, the form inside the form, thought about playing, and lines of the other side.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from osler.text.in_role.machines import is_of_itself
from osler.text.in_role.marks import has_form, has_marks
from osler.text.in_role.other_part import taken_by_clinician, taken_by_patient, unquoted, written_out
from osler.text.in_role.play import is_thought, speaks_for_others
from osler.text.in_role.refusals import is_inability, is_refusal, sends_away
from osler.text.tokens import sentences

Part = Literal["patient", "companion", "clinician", "other", "nobody"]
"""The part that is spoken in: `clinician` is whoever sees the patient; `nobody` is no part at all, where any
inability to answer is a refusal."""
_LOOKED_AT: Final = 4000
_BEGINNING: Final = 400
_RUNS: Final = re.compile(r"(\W)\1{4,}")  # a long row of one sign is no longer to read


class Fault(NamedTuple):
    """The fault of an answer: its cause, and what is wrong in a few words."""

    cause: Literal["refused", "out_of_role"]
    what: str


REFUSES: Final = Fault("refused", "this is a refusal and no answer")
_ASSISTANT: Final = Fault("out_of_role", "this speaks of a language model, not in the role")
_CONTROL: Final = Fault("out_of_role", "this holds a control word or a template token")
_FORM: Final = Fault("out_of_role", "this holds a form inside the form; give only the words that are spoken")
_THOUGHT: Final = Fault("out_of_role", "this speaks about the role, its facts or its prompt")
_BOTH: Final = Fault("out_of_role", "this speaks for the other side as well")
_OTHER_PART: Final = Fault("out_of_role", "this takes the other side's part")

_OWN: Final[dict[Part, frozenset[str]]] = {
    "patient": frozenset({"patient", "p", "me"}),
    "companion": frozenset({"patient", "p", "me", "nurse"}),
    "clinician": frozenset(
        {"doctor", "physician", "clinician", "gp", "examinee", "dr", "d", "me", "consultant", "attending"}
    ),
}


@lru_cache(maxsize=4096)
def fault_in(text: str, part: Part = "other") -> Fault | None:
    """The fault of what is said aloud in a part, or `None`. A refusal goes before everything else."""
    said = unquoted(_RUNS.sub(r"\1\1\1\1", text[:_LOOKED_AT].replace("’", "'")))
    low = written_out(said)
    by_patient = part not in ("clinician", "other")
    if _is_declined(low, part, by_patient):
        return REFUSES
    if any(is_of_itself(one, by_patient=by_patient) for one in sentences(low)):
        return _ASSISTANT
    if part == "nobody":
        return None
    if has_marks(said, by_patient=by_patient):
        return _CONTROL
    if has_form(said, by_patient=by_patient):
        return _FORM
    if speaks_for_others(said, _OWN.get(part)):
        return _BOTH
    if by_patient and is_thought(low):
        return _THOUGHT
    return _OTHER_PART if _takes_other_part(said, part) else None


def declines(text: str) -> bool:
    """Whether an answer in plain words, in no part, declines what it was asked for."""
    return fault_in_prose(text) is not None


def fault_in_prose(text: str) -> Fault | None:
    """The fault of an answer in plain words, in no part: a refusal, or a model that speaks of itself."""
    return fault_in(text[:_BEGINNING], "nobody")


def _is_declined(low: str, part: Part, by_patient: bool) -> bool:
    if part == "nobody" and is_inability(low):
        return True
    if not by_patient and len(low) > _BEGINNING:
        return False  # a refusal is no speech; in one, what cannot be offered is part of the case
    if any(is_refusal(one, by_patient=by_patient) for one in sentences(low)):
        return True
    return by_patient and sends_away(low)


def _takes_other_part(said: str, part: Part) -> bool:
    if part == "clinician":
        return bool(taken_by_clinician(said))
    return part != "other" and bool(taken_by_patient(said, to_the_ill=part == "companion"))
