"""The one seat: the candidate, who is asked a question and answers in plain words."""

from __future__ import annotations

from typing import Final

from pydantic import Field, TypeAdapter

from osler.core.contract import Contract
from osler.core.events import Frozen, View
from osler.core.pictures import Picture

LONGEST: Final = 200_000
"""The longest reply that is read, in characters."""


class CandidateView(View):
    """The knowledge of a candidate before the question: the pictures attached to it, in the order in which it
    names them, and the number of those withheld."""

    pictures: tuple[Picture, ...] = ()
    withheld: int = 0


class Answer(Frozen):
    """An answer in plain words. It ends with the letter of one option, or is no answer."""

    text: str = Field(max_length=LONGEST)


CANDIDATE: Final = Contract("candidate", CandidateView, TypeAdapter(Answer))
