"""The rubric judge named at the command line: `lexical`, or `model:NAME` of osler.toml."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from osler.errors import BadInput
from osler.judging.rubric.judgement import RubricJudge
from osler.judging.rubric.lexical import LexicalJudge
from osler.models.config import configured
from osler.runs.seating import open_models

LEXICAL = "lexical"


def endpoint_of(judge: str) -> str | None:
    """The endpoint of a model judge, `None` for the built-in one. Raises BadInput for any other name."""
    kind, _, endpoint = judge.partition(":")
    if judge == LEXICAL:
        return None
    if kind != "model" or not endpoint:
        mend = f"{LEXICAL} or model:NAME"
        raise BadInput(f"there is no judge {judge!r}", where="--judge", mend=mend)
    return endpoint


@asynccontextmanager
async def opened(judge: str, config: Path | None, repeats: int, batch: int) -> AsyncIterator[RubricJudge]:
    """Open the judge for use, and close it afterwards."""
    endpoint = endpoint_of(judge)
    if endpoint is None:
        yield LexicalJudge()
        return
    from osler.judging.rubric.by_model import ModelRubricJudge  # noqa: PLC0415 - slow to import

    found = configured(config)
    async with open_models([judge], found) as clients:
        yield ModelRubricJudge(
            clients.client(endpoint), found.endpoint(endpoint), repeats=repeats, batch=batch
        )
