"""`osler vqa`: accuracy on published multiple-choice questions about medicine, with pictures."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import typer
from rich.console import RenderableType

from osler.cli.continuing import sigterm_as_ctrl_c
from osler.cli.judging import usage_table
from osler.cli.model_options import takes_models
from osler.cli.options import AsJson
from osler.cli.output import INTERRUPTED, PAUSED, command, plain, result, say
from osler.cli.terminal import shown
from osler.errors import BadInput, InfrastructureFault
from osler.models.budget import Ledger
from osler.models.settings import addressed
from osler.runs.seating import ModelOptions
from osler.text.hostile import safe
from osler.vqa.journal import Journal, check_same, stored
from osler.vqa.questions import Counted, Design, Questions
from osler.vqa.report import NOTICE, figures_json, paired_json, paired_words, tables
from osler.vqa.run import AT_ONCE, Player, Sitting, player
from osler.vqa.scoring import Figures, Paired, compare, score

_SUFFIX: Final = ".jsonl"


@command
@takes_models(begins=False)
def vqa(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Questions: JSON lines, a JSON list, CSV or Parquet.")
    ],
    form: Annotated[str, typer.Option("--format", help="medxpertqa, mmmu or pmc-vqa.")],
    model: Annotated[
        str,
        typer.Option(
            help="An endpoint of osler.toml, or a baseline: uniform, first, longest, oracle. model:NAME is an"
            " endpoint in any case."
        ),
    ],
    modelling: ModelOptions,
    images: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The folder of the image files that the questions name."),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="A second player on the same items, or the file of its answers from --out; paired.",
        ),
    ] = None,
    blind: Annotated[
        bool, typer.Option("--blind", help="Ask questions with pictures once more without them.")
    ] = False,
    rotations: Annotated[
        int,
        typer.Option(min=1, max=26, help="Ask each item with its options in N orders, one after another."),
    ] = 1,
    seed: Annotated[int, typer.Option(help="The seed of the options' order: same seed, same bytes.")] = 0,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N items.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep the answers here; the same command goes on with them."),
    ] = None,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out rows that cannot be used, and count them.")
    ] = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask again what ended by a fault of the endpoint.")
    ] = False,
    concurrency: Annotated[
        int, typer.Option(min=1, max=4096, help="Questions asked concurrently.")
    ] = AT_ONCE,
    as_json: AsJson = False,
) -> None:
    """Measure accuracy on MedXpertQA, MMMU (health and medicine) or PMC-VQA, with its interval."""
    questions = Questions(file, form, images, skip_bad=skip_bad)
    design = Design(seed, rotations, blind, limit)
    ledger = Ledger()
    beside = _stored(against)
    names = (model,) if against is None or beside is not None else (model, against)
    players = tuple(player(name, modelling, ledger) for name in names)
    if against is not None and (handed := [one.name for one in players if one.privileged]):
        raise BadInput(f"{handed[0]} is given the answers, so it is not compared", where="--against")
    if not any(one.models for one in players):
        addressed(modelling.settings, ())
    with ExitStack() as stack:
        folder = out or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="osler-vqa-")))
        sitting = Sitting(questions, design, players, folder, concurrency, retry_failed)
        journals = [stack.enter_context(one) for one in sitting.journals()]
        if beside is not None:
            _check_beside(beside, journals[0], sitting)
        counted = questions.check(design, journals)
        if beside is not None:
            _check_whole(beside, counted)
        for one in players:
            one.check_eyes(counted)
        _tell_counts(counted, players, skip_bad)
        figures = [
            _asked(sitting, one, journal, counted, done, ledger, as_json, kept=out is not None)
            for one, journal, done in zip(players, journals, counted.done, strict=True)
        ]
        other = _other(sitting, journals, figures, counted, beside)
    value = {
        "status": "done",
        "file": file.name,
        "format": form,
        "seed": seed,
        "rotations": rotations,
        "player": players[0].about,
        "items": _counts_json(counted),
        **figures_json(figures[0]),
        "against": None if other is None else other.as_json(),
        "out": None if out is None else str(out),
    }
    tell: list[RenderableType] = [*tables(players[0].name, figures[0])]
    if other is not None:
        tell += [*tables(other.name, other.figures), plain(other.words(players[0].name))]
    if used := _used(ledger):
        value["usage"] = used
        tell.append(usage_table(used))
    if any(one.models is None for one in players):
        tell.append(plain(NOTICE))
    if out is not None:
        tell.append(plain(f"Answers: {', '.join(str(out / one.file) for one in players)}"))
    result(as_json, value, *tell)


class _Other(NamedTuple):
    """The player compared with: its figures, and the difference, ours minus theirs."""

    name: str
    about: dict[str, Any]
    figures: Figures
    paired: Paired

    def as_json(self) -> dict[str, Any]:
        gap = paired_json(self.paired, "only_against", "only_player")
        return {"player": self.about, **figures_json(self.figures), "difference": gap}

    def words(self, name: str) -> str:
        return f"{name} minus {self.name}, the same items: {paired_words(self.paired)}"


def _stored(against: str | None) -> Path | None:
    """The file of answers that `--against` names; `None` if it names a player."""
    if against is None or not (against.endswith(_SUFFIX) or Path(against).exists()):
        return None
    path = Path(against)
    if path.is_dir():
        raise BadInput("is a folder", where=f"--against {against}", hint=f"name a {_SUFFIX} file in it")
    return path


def _check_beside(path: Path, journal: Journal, sitting: Sitting) -> None:
    """Raise BadInput unless stored answers are of the same questions in the same order, and another file."""
    about, _ = stored(path)
    if path.resolve() == journal.path.resolve() or about["player"] == journal.about["player"]:
        raise BadInput("a player is not compared with itself", where="--against", hint="name another file")
    if about["player"].get("privileged"):
        raise BadInput("its player is given the answers, so it is not compared", where=f"--against {path}")
    check_same(path, about, {name: journal.about[name] for name in journal.about if name != "player"})


def _check_whole(path: Path, counted: Counted) -> None:
    """Raise BadInput unless stored answers are to all items that are asked now."""
    answers = stored(path)[1]
    held = sum(one.row <= counted.last and not one.blind and not one.rotation for one in answers)
    if held != counted.items:
        raise BadInput(
            f"it has answers to {held:,} of {counted.items:,} items",
            where=f"--against {path}",
            hint="answer the same items there first, or give --limit",
        )


def _asked(
    sitting: Sitting,
    one: Player,
    journal: Journal,
    counted: Counted,
    done: int,
    ledger: Ledger,
    as_json: bool,
    *,
    kept: bool,
) -> Figures:
    """Ask one player what is left; if it does not finish, say how to go on, and exit."""

    @contextmanager
    def shows() -> Iterator[Any]:
        with sigterm_as_ctrl_c(), shown(what="questions", ledger=ledger if one.models else None) as tell:
            yield tell

    if done:
        say(f"{one.name}: {done:,} of {counted.planned:,} questions are answered already")
    try:
        return sitting.ask(one, journal, counted, done, shows)
    except InfrastructureFault as fault:
        status, why, code = "paused", str(fault), PAUSED
    except KeyboardInterrupt:
        status, why, code = "interrupted", "stopped by hand", INTERRUPTED
    again = "the same command" if kept else "nothing is kept without --out"
    held = {"done": len(journal), "planned": counted.planned, "to_continue": again}
    say(safe(f"osler: {status}: {why}"))
    say(f"{len(journal):,} of {counted.planned:,} questions are answered; to continue: {again}")
    if as_json:
        result(True, {"status": status, "why": why, "player": one.about, **held})
    raise typer.Exit(code)


def _other(
    sitting: Sitting,
    journals: Sequence[Journal],
    figures: Sequence[Figures],
    counted: Counted,
    beside: Path | None,
) -> _Other | None:
    """The player compared with, if there is one."""
    if beside is not None:
        about, answers = stored(beside)
        own, design = about["player"], sitting.design
        found = score(answers, last=counted.last, rotations=design.rotations, blind=design.blind)
        gap = compare(journals[0].answers(), stored(beside)[1], last=counted.last, missing=str(beside))
        return _Other(safe(str(own.get("name", beside.stem))), own, found, gap)
    if len(figures) < len(journals) or len(figures) == 1:
        return None
    gap = compare(journals[0].answers(), journals[1].answers(), last=counted.last, missing="--against")
    second = sitting.players[1]
    return _Other(second.name, second.about, figures[1], gap)


def _tell_counts(counted: Counted, players: Sequence[Player], skip_bad: bool) -> None:
    out = ", ".join(f"{count:,} {why}" for why, count in counted.left_out.items())
    say(
        f"{counted.items:,} items, {counted.pictured:,} with pictures"
        f"{f'; left out: {out}' if out else ''}; {counted.planned:,} questions for"
        f" {' and '.join(one.name for one in players)}"
    )
    if counted.in_order:
        say(f"{counted.in_order:,} items keep the order of their options, which refer to each other")
    for line in counted.bad[:5] if skip_bad else ():
        say(f"  {line}")


def _counts_json(counted: Counted) -> dict[str, Any]:
    return {
        "asked": counted.items,
        "with_pictures": counted.pictured,
        "pictures": counted.pictures,
        "kept_in_order": counted.in_order,
        "left_out": dict(counted.left_out),
        "questions": counted.planned,
    }


def _used(ledger: Ledger) -> dict[str, dict[str, Any]]:
    """The usage of this session, as the table of usage takes it."""
    found: dict[str, dict[str, Any]] = {}
    for (seat, name), tally in sorted(ledger.rows.items()):
        found.setdefault(seat, {})[name] = {
            "replies": tally.calls - tally.failed,
            "calls": tally.calls,
            "prompt_tokens": tally.prompt_tokens,
            "completion_tokens": tally.completion_tokens,
            "cached_tokens": tally.cached_tokens,
            "cost": None if tally.unpriced else tally.cost,
            "retries": tally.retried,
            "faults": tally.failed,
        }
    return found
