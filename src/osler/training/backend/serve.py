"""An endpoint for a trained model on this machine: transformers' own server, on loopback alone."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any, Final

from osler.training.backend import libraries, models
from osler.training.folder import servable
from osler.training.lineage import answers_in_json, rewarded_by

HOST: Final = "127.0.0.1"
_LEARNT: Final = "# it learnt the form of its answers, from prompts without a schema in words"
"""Said where an endpoint without schemas is given one: else the schema would be put into the prompt."""


def endpoint(out: Path, port: int, most: int = 2048) -> str:
    """The lines for osler.toml by which the served model is called. Raises BadInput."""
    libraries.need(*libraries.SERVING)
    folder = servable(out)
    objects = answers_in_json(folder)
    judges = sorted({one.model or one.endpoint for one in rewarded_by(folder)})
    return "\n".join(
        (
            "[endpoints.trained]",
            f'base_url = "http://{HOST}:{port}/v1"',
            f"model = {json.dumps(str(folder.resolve()), ensure_ascii=False)}",
            *([f"rewarded_by = {json.dumps(judges, ensure_ascii=False)}"] if judges else []),
            "max_in_flight = 1",
            "timeout_s = 600",
            "price_in = 0.0",
            "price_out = 0.0",
            "",
            "[endpoints.trained.capabilities]",
            *([_LEARNT] if objects else []),
            f"json_schema = {str(objects).lower()}",
            "json_object = false",
            f"images = {str(models.sees(folder)).lower()}",
            "",
            "[endpoints.trained.extra]",
            f"max_tokens = {most}",
        )
    )


def serve(out: Path, port: int, *, device: str = "auto", behind: bool = False) -> Any:
    """Serve a model until stopped; with `behind`, in a thread, and return the server. Raises BadInput."""
    libraries.need(*libraries.SERVING)
    folder = servable(out)
    from transformers.cli.serve import Serve

    _only_failures()
    return Serve(
        force_model=str(folder.resolve()),
        host=HOST,
        port=port,
        device=device,
        dtype="auto",
        chat_template_kwargs=json.dumps(models.TEMPLATE),
        log_level="error",
        non_blocking=behind,
    )


def _only_failures() -> None:
    """Have the server tell of requests that failed, and of no others, on standard error: standard output is
    for the lines of osler.toml."""
    from uvicorn.config import LOGGING_CONFIG

    LOGGING_CONFIG["handlers"]["access"]["stream"] = "ext://sys.stderr"
    logging.getLogger("uvicorn.access").addFilter(_failed)


def _failed(record: logging.LogRecord) -> bool:
    status = record.args[-1] if isinstance(record.args, tuple) and record.args else 0
    return not isinstance(status, int) or status >= 400
