"""`osler train tiny`, `sft`, `merge` and `serve`."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType

from osler.cli.options import AsJson, Seed
from osler.cli.output import command, plain, result, say
from osler.cli.train_options import Base, Changes, DataSet, Out, Output, Profile, rows_with_left_out
from osler.training.backend import libraries
from osler.training.config import sft_config


@command
def tiny(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="A new folder for the base.")],
    vision: Annotated[bool, typer.Option("--vision", help="A base that takes pictures, too.")] = False,
    data: Annotated[
        Path | None,
        typer.Option(
            help="A data set whose texts its tokens are made from, so that prompts are short.  [default:"
            " texts that come with Osler]",
            show_default=False,
        ),
    ] = None,
    seed: Seed = 7,
    as_json: AsJson = False,
) -> None:
    """Make a tiny base of random weights: it shows on a laptop that the chain works, and nothing more."""
    libraries.need()
    from osler.training.backend.tiny_models import tiny as made  # noqa: PLC0415 - torch

    found = made(out, vision=vision, data=data, seed=seed)
    result(
        as_json, found, _told(f"a base of {found['weights']:,} weights and {found['tokens']:,} tokens", out)
    )


@command
def base(
    source: Annotated[
        str,
        typer.Argument(
            metavar="NAME|FILE.gguf",
            help="A GGUF file, a folder with a model, or OWNER/NAME of a public one.",
        ),
    ],
    out: Annotated[Path, typer.Option(help="A new folder for the base.")],
    licence: Annotated[
        str, typer.Option(help="The licence of the weights, where their source does not state it.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Write a pretrained base for training: its weights, its chat template, its licence and hashes.

    Quantized weights are written as 32-bit numbers; what was rounded away stays away.
    """
    from osler.training.backend.bases import make_base  # noqa: PLC0415 - imported when called

    manifest = make_base(source, out, licence)
    words = (
        f"a base of {manifest['weights']:,} weights, {manifest['tokens']:,} tokens and a context of"
        f" {manifest['context']:,} (licence: {manifest['licence']})"
    )
    result(as_json, {"out": str(out), **manifest}, _told(words, out))


@command
def sft(
    data: DataSet,
    base: Base,
    out: Out,
    profile: Profile = "paper",
    changes: Changes = None,
    as_json: AsJson = False,
) -> None:
    """Fine-tune a base on the accepted turns of a data set: adapters, or all weights of a tiny base.

    A training that stopped goes on from its last checkpoint. A folder that was made from another data set,
    base or settings is refused.
    """
    config = sft_config(profile, changes or ())
    libraries.need()
    from osler.training.backend.sft import Update  # noqa: PLC0415 - torch
    from osler.training.backend.sft import sft as trained  # noqa: PLC0415 - torch

    def made(update: Update) -> None:
        if update.step == update.steps or update.step % max(1, update.steps // 20) == 0:
            say(f"update {update.step:,} of {update.steps:,}: loss {update.loss:.4g}")

    found = trained(data, base, out, config, made)
    if not found:
        return  # of several processes, the first tells the result
    words = (
        f"{found['steps']:,} updates over {rows_with_left_out(found['rows'], found['left_out'])}:"
        f" loss {found['loss_first']:.4g} to {found['loss_last']:.4g}"
    )
    result(as_json, {"out": str(out), **found}, _told(words, out))


@command
def merge(out: Output, as_json: AsJson = False) -> None:
    """Merge a training's adapters into their base: whole weights with the template they were trained with."""
    libraries.need()
    from osler.training.backend.merge import merge as merged  # noqa: PLC0415 - torch

    found = merged(out)
    result(as_json, found, _told("merged weights", Path(found["out"])))


@command
def serve(
    out: Output,
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port on this machine.")] = 8123,
    device: Annotated[
        str, typer.Option(metavar="auto|cpu|cuda:N", help="The device the model is put on.")
    ] = "auto",
    max_tokens: Annotated[int, typer.Option(min=1, help="Longest answer, as written for osler.toml.")] = 2048,
    as_json: AsJson = False,
) -> None:
    """Serve a trained model to this machine alone, until stopped, and show the lines for osler.toml.

    It runs the server of transformers, with the template the model was trained with. On GPUs, serve the
    merged folder with vLLM.
    """
    from osler.training.backend import serve as served  # noqa: PLC0415 - imported when called

    lines = served.endpoint(out, port, max_tokens)
    result(as_json, tomllib.loads(lines), plain(lines))
    sys.stdout.flush()  # whoever waits for the address through a pipe is told before the serving
    say(f"serving on {served.HOST}:{port}, until Ctrl-C; play with --tutor model:trained --moves text")
    served.serve(out, port, device=device)


def _told(words: str, out: Path) -> RenderableType:
    result: Any = plain(f"{words}: {out}")
    return result  # type: ignore[no-any-return]
