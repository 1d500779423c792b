"""Summaries of consultations by the model whose memory they enter, two or three sentences each, as in
MedAgentSim: asked for once and kept in the store, so that a resumed study writes the same cards."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Final

from osler.errors import InfrastructureFault
from osler.memory.sql_memory import SqlAnswers
from osler.memory.summary import PROMPT, summary_by_model, summary_request
from osler.models.faults import ModelAnswerError
from osler.models.types import ModelClient
from osler.models.wire import messages_json
from osler.prompts import prompt
from osler.protocols.consultation.memory.episodes_to_lessons import Experience
from osler.runs.seating import ModelOptions, open_models
from osler.store.store import Store

Summarize = Callable[[Sequence[Experience]], list[str]]
"""Summarizes consultations that leave a medical record; "" is for the built-in summary."""
_AT_ONCE: Final = 16


def kept_whole(one: Experience) -> bool:
    """Whether a first attempt leaves a medical record, which has a summary."""
    return one.told.correct is not False and bool(one.record.diagnosis)


def diagnosis_told(one: Experience) -> str | None:
    """The diagnosis a record is kept under: the one revealed, else the doctor's own."""
    return one.told.answer or one.record.diagnosis


class ModelSummaries:
    """Summaries by the endpoint `name`. What a model could not put into a few sentences gets "", once and for
    all. Raises InfrastructureFault as a run does; what was answered until then is kept."""

    def __init__(self, name: str, options: ModelOptions, store: Store) -> None:
        self._name, self._options, self._answers = name, options, SqlAnswers(store.engine)

    def __call__(self, consulted: Sequence[Experience]) -> list[str]:
        serving = self._options.endpoints().endpoint(self._name).serving
        keys = [_key(one, serving) for one in consulted]
        answer = self._answers.get(list(dict.fromkeys(keys)))
        if missing := {key: one for key, one in zip(keys, consulted, strict=True) if key not in answer}:
            asyncio.run(self._ask(missing))
            answer |= self._answers.get(list(missing))
        return [answer[key].decode() for key in keys]

    async def _ask(self, missing: dict[str, Experience]) -> None:
        models = open_models([f"model:{self._name}"], self._options.endpoints(), self._options)
        places = asyncio.Semaphore(_AT_ONCE)
        async with models:
            client = models.client(self._name)

            async def ask(key: str, one: Experience) -> None:
                async with places:
                    said = await _said(client, one)
                self._answers.put([(key, said.encode("utf-8", "replace"))])

            asked = (ask(key, one) for key, one in missing.items())
            for fault in await asyncio.gather(*asked, return_exceptions=True):
                if isinstance(fault, BaseException):
                    raise fault


async def _said(client: ModelClient, one: Experience) -> str:
    try:
        return await summary_by_model(one.record, diagnosis_told(one), client)
    except ModelAnswerError:
        return ""
    except InfrastructureFault as error:
        raise InfrastructureFault(f"a consultation could not be summarized: {error}") from None


def _key(one: Experience, serving: bytes) -> str:
    request = summary_request(one.record, diagnosis_told(one))
    told = (b"summary", serving, prompt(PROMPT).hash.encode(), messages_json(request.messages))
    return blake2b(b"\x1f".join(told), digest_size=16).hexdigest()
