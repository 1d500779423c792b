"""A grader's version: a hash of all that decides how it judges, but the weights behind a name."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from inspect import getsource
from typing import Final

from pydantic_core import to_json

from osler.judging.model import asking, blocks, items, panel, transcript, verdicts
from osler.judging.model.template import Template
from osler.models.config import Endpoint
from osler.models.types import Sampling

VERSION: Final = "1"
_RULES: Final = (asking, blocks, items, panel, transcript, verdicts)


def version_of(text: Template, endpoint: Endpoint, sampling: Sampling, repeats: int, top: int) -> str:
    """VERSION and a hash of template, schema, model, extra fields, sampling, repeats and our own rules."""
    decides = {
        "template": text,
        "schema": verdicts.output_of(1, top).digest,
        "model": endpoint.model,
        "extra": sorted((name, to_json(value).decode()) for name, value in endpoint.extra.items()),
        "sampling": sampling.model_dump(),
        "repeats": repeats,
        "rules": _rules(),
    }
    return f"{VERSION}-{blake2b(to_json(decides), digest_size=6).hexdigest()}"


@lru_cache(maxsize=1)
def _rules() -> str:
    return blake2b("\x1f".join(map(getsource, _RULES)).encode(), digest_size=8).hexdigest()
