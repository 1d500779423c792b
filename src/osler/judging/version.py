"""A grader's version: a number kept beside the judge, and a hash of the data, prompts and settings it uses.

Source code is not part of it: moving or rewording code changes no version. A change to how a judge asks or
decides must increment the `VERSION` beside it.
"""

from __future__ import annotations

from hashlib import blake2b

from pydantic_core import to_json

from osler.judging.model.template import Template
from osler.judging.model.verdicts import output_of
from osler.models.config import Endpoint
from osler.models.types import Sampling


def version_of(number: str, **decides: object) -> str:
    """NUMBER-HASH, with a hash over everything that decides a verdict besides the judge's own code."""
    return f"{number}-{blake2b(to_json(decides), digest_size=6).hexdigest()}"


def model_version(
    number: str,
    text: Template,
    endpoint: Endpoint,
    sampling: Sampling,
    *,
    repeats: int,
    top: int,
    batch: int | None = None,
) -> str:
    """The version of a judge that asks `endpoint` for verdicts from 0 to `top`, `batch` items at a time."""
    return version_of(
        number,
        template=text,
        schema=output_of(1, top).digest,
        model=endpoint.model,
        extra=sorted((name, to_json(value).decode()) for name, value in endpoint.extra.items()),
        sampling=sampling.model_dump(),
        repeats=repeats,
        batch=batch,
    )
