"""`osler cases write`: have a language model write cases."""

from __future__ import annotations

import asyncio
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from pydantic import ValidationError

from osler.cases.importers import write_case as store_case
from osler.cli.model_options import MaxMoney, TokenBudget
from osler.cli.options import AsJson, ConfigFile
from osler.cli.output import NOTHING_DONE, command, plain, result, say
from osler.errors import BadInput, InfrastructureFault, OslerError
from osler.models.config import configured

if TYPE_CHECKING:
    from osler.authoring.writing import Wish
    from osler.models.open_models import Models

MOST = 1000
_NEUTRAL = str.maketrans("0123456789abcdef", "abcdefghijkmnpqr")


@command
def write(
    model: Annotated[str, typer.Option(metavar="NAME", help="An endpoint of osler.toml.")],
    out: Annotated[Path, typer.Option(help="The folder to write to, one YAML file per case.")],
    specialty: Annotated[
        str, typer.Option(help="The specialty that the case belongs to.")
    ] = "general practice",
    diagnosis: Annotated[
        str | None, typer.Option(help="The diagnosis to write for; the model chooses if omitted.")
    ] = None,
    age: Annotated[float | None, typer.Option(help="The patient's age in years.")] = None,
    sex: Annotated[str | None, typer.Option(help="female or male.")] = None,
    setting: Annotated[
        str | None, typer.Option(help="The clinical setting, such as 'emergency room'.")
    ] = None,
    difficulty: Annotated[str, typer.Option(help="easy, ordinary or hard.")] = "ordinary",
    n: Annotated[int, typer.Option("--n", min=1, max=MOST, help="Number of cases.")] = 1,
    seed: Annotated[int, typer.Option(help="The seed of the first case; each further case adds one.")] = 0,
    token_budget: TokenBudget = None,
    max_money: MaxMoney = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Write cases with a language model; each is linted, and rejected if the model cannot fix it.

    Running the same command again keeps the cases already written and asks only for the missing ones.
    """
    # Imported here because the HTTP client takes a third of a second and few commands talk to a model.
    from osler.models.budget import Limits  # noqa: PLC0415 - import time
    from osler.models.open_models import Models  # noqa: PLC0415 - import time

    given = {"specialty": specialty, "diagnosis": diagnosis, "age": age, "sex": sex, "setting": setting}
    wish = _wish({**given, "difficulty": difficulty})
    result = configured(config)
    endpoint = result.endpoint(model)
    if out.exists() and not out.is_dir():
        raise BadInput("is a file, not a folder", where=str(out), hint="name a folder with --out")
    say("Cases written by a language model are unreviewed: for education and research only.")

    async def run() -> tuple[list[_Outcome], dict[str, Any]]:
        async with Models(result, limits=Limits(token_budget, max_money)) as models:
            models.client(model)  # a missing key is reported once, before anything is asked
            ids = [(case_id(endpoint.model, wish, seed + i), seed + i) for i in range(n)]
            outcomes = await asyncio.gather(*(_one(models, model, wish, out, *each) for each in ids))
            return outcomes, models.ledger.total.as_json()

    outcomes, usage = asyncio.run(run())
    _tell(outcomes, usage, as_json)


class _Outcome(NamedTuple):
    """The outcome for one case: a file (newly written or already there), or the reason there is none."""

    id: str
    file: Path | None = None
    new: bool = False
    reason: str = ""
    stopped: bool = False


async def _one(models: Models, model: str, wish: Wish, out: Path, id: str, seed: int) -> _Outcome:
    from osler.authoring.writing import write_case  # noqa: PLC0415 - import time

    file = out / f"{id}.yaml"
    if file.exists():
        return _Outcome(id, file=file)
    try:
        written = await write_case(models.client(model), wish, id, seed)
        return _Outcome(id, file=store_case(written.case, out), new=True)
    except InfrastructureFault as error:
        # Others may have been answered before the endpoint failed: those are kept and shown.
        return _Outcome(id, reason=f"{error}; run the same command again to continue", stopped=True)
    except OslerError as error:
        return _Outcome(id, reason=str(error))


def _tell(outcomes: list[_Outcome], usage: dict[str, Any], as_json: bool) -> None:
    files = [str(one.file) for one in outcomes if one.file]
    written = sum(one.new for one in outcomes)
    missing = [one for one in outcomes if one.file is None]
    value = {
        "written": written,
        "kept": len(files) - written,
        "rejected": len(missing),
        "reasons": [{"case": one.id, "reason": one.reason} for one in missing],
        "files": files,
        "usage": usage,
    }
    lines = [f"written {written}, already there {len(files) - written}, rejected {len(missing)}"]
    lines += [f"  {file}" for file in files]
    lines += [f"  {one.id}: {one.reason}" for one in missing]
    tokens = f"{usage['prompt_tokens']} tokens sent and {usage['completion_tokens']} answered"
    lines.append(f"{usage['calls']} calls, {tokens}")
    result(as_json, value, plain("\n".join(lines)))
    if not files or any(one.stopped for one in outcomes):
        raise typer.Exit(NOTHING_DONE)


def case_id(model: str, wish: Wish, seed: int) -> str:
    """A neutral id, determined by model, wish and seed. Letters only, so that it suggests no order."""
    digest = blake2b(f"{model}\x1f{wish.model_dump_json()}\x1f{seed}".encode(), digest_size=6).hexdigest()
    return f"made-{digest.translate(_NEUTRAL)}"


def _wish(given: dict[str, object]) -> Wish:
    from osler.authoring.writing import Wish  # noqa: PLC0415 - import time

    try:
        return Wish.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = f"--{first['loc'][0]}"
        raise BadInput(first["msg"].removeprefix("Value error, "), where=where) from None
