"""Eyes for a doctor without them: a model that says what a picture shows, and names no disease."""

from __future__ import annotations

from collections import OrderedDict
from functools import partial
from hashlib import blake2b
from typing import Any, Final

from osler.models.types import CompletionRequest, Image, Message, ModelClient, Sampling
from osler.players.model.claims import illnesses
from osler.players.model.messages import seed_of
from osler.prompts import block, prompt

_KEPT: Final = 1024
_LONGEST: Final = 4000


class ModelDescriber:
    """Describes pictures. A description is kept by the picture's hash and the name it goes by, so that every
    doctor of a run reads the same words."""

    def __init__(
        self,
        client: ModelClient,
        endpoint: str,
        *,
        sampling: Sampling = Sampling(),  # noqa: B008 - frozen
    ) -> None:
        self._client, self._sampling = client, sampling
        self.name = f"model:{endpoint}"
        self._kept: OrderedDict[str, str] = OrderedDict()

    async def describe(self, image: Image, kind: str = "") -> str:
        """What the picture shows, in words; `kind` is what it was ordered as. Raises ModelAnswerError where
        the model names an illness or says nothing, InfrastructureFault where it cannot be asked."""
        key = blake2b(f"{kind}\x1f{image.media_type}\x1f{image.data}".encode(), digest_size=16).hexdigest()
        if key not in self._kept:
            if len(self._kept) >= _KEPT:
                self._kept.popitem(last=False)
            self._kept[key] = await self._ask(image, kind, key)
        return self._kept[key]

    async def _ask(self, image: Image, kind: str, key: str) -> str:
        what = f"{block('ordered_as', kind)}\n" if kind else ""
        messages = (
            Message(role="system", text=prompt("describer").render({})),
            Message(role="user", text=f"{what}Describe this picture.", images=(image,)),
        )
        request = CompletionRequest(
            messages=messages, sampling=self._sampling, seed=seed_of(key, "describer", 0), seat="describer"
        )
        return str((await self._client.complete(request, validate=partial(_neutral, kind))).parsed)


def _neutral(kind: str, said: Any) -> str:
    text = str(said).strip()
    if not text or len(text) > _LONGEST:
        raise ValueError("describe the picture in two to six sentences")
    if named := illnesses(text) - illnesses(kind):
        raise ValueError(f"name no disease: say what is to be seen instead of {sorted(named)[0]!r}")
    return text
