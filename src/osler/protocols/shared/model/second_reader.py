"""The second reader: a second model that checks a patient's answer against its facts."""

from __future__ import annotations

from typing import Any, Final

from osler.core.contract import NoUsableReply, Request
from osler.models.calls import Call, call_of
from osler.models.faults import ModelAnswerError
from osler.models.types import CompletionRequest, Message, ModelClient
from osler.players.model.messages import seed_of
from osler.players.model.usage import Used, unanswered, used_by
from osler.prompts import prompt
from osler.protocols.shared.model.schemas import GROUNDING_VERDICT
from osler.protocols.shared.patient import PatientView, doctor_said, question_of
from osler.text.hostile import block
from osler.text.topics import conditions_met

PROMPT: Final = "osler.protocols.shared:prompts/grounding.jinja"


def reading_of(answer: str, request: Request[PatientView]) -> tuple[Message, Message]:
    """Build the reader's messages: the rules, the facts that may be told, the doctor's words, the answer."""
    view, met = request.view, conditions_met(doctor_said(request))
    facts = "\n".join(
        block("fact", f"{fact.text} {fact.spoken or ''}".strip()) for fact in view.facts if fact.told in met
    )
    told = (block("opening", view.opening), facts)
    asked = (block("doctor_says", question_of(request)), block("answer", answer))
    rules = prompt(PROMPT).render({"denials": view.unknown != "withhold"})
    return Message(role="system", text=rules), Message(role="user", text="\n".join((*told, *asked)))


class SecondReader:
    """Finds assertions that the facts do not support. `endpoint` is the client's configured name."""

    def __init__(self, client: ModelClient, endpoint: str) -> None:
        self._client, self._endpoint = client, endpoint
        self.name = f"model:{endpoint}#{prompt(PROMPT).hash[:8]}"

    async def unsupported(
        self, answer: str, request: Request[PatientView]
    ) -> tuple[tuple[str, ...], Used, Call]:
        """Return the unsupported parts of an answer, as exact quotations, the usage of the check and its
        call.

        A verdict with a quotation that is not in the answer is refused. Raises NoUsableReply if no verdict is
        usable (an unchecked answer is never passed on), or InfrastructureFault.
        """

        def read(value: Any) -> tuple[str, ...]:
            quoted = value.get("unsupported")
            if not isinstance(quoted, list) or not all(isinstance(part, str) and part for part in quoted):
                raise ValueError("unsupported must be a list of quotations")
            if strange := [part for part in quoted if part not in answer]:
                raise ValueError(f"unsupported: {strange[0][:80]!r} does not stand in the answer")
            return tuple(quoted)

        question = CompletionRequest(
            messages=reading_of(answer, request),
            seed=seed_of(request.world, "grounding", len(request.feed)),
            output=GROUNDING_VERDICT,
            seat="grounding",
            once=True,  # the table asks again
        )
        try:
            completion = await self._client.complete(question, validate=read)
        except ModelAnswerError as error:
            result = unanswered(error, self._endpoint, question)
            why = f"the second reader gave no usable verdict: {error}"
            raise NoUsableReply(
                why, cause=result.cause, said=result.said, used=result.used, calls=result.calls
            ) from None
        parsed: Any = completion.parsed  # what `read` returned
        attempts = () if completion.from_cache else completion.attempts
        call = call_of(self._endpoint, question, completion)
        return tuple(parsed), used_by(self._endpoint, attempts, completion.model), call
