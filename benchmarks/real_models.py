"""What a real model does in every seat, for any endpoint of an osler.toml: figures from Osler's own records.

    python benchmarks/real_models.py --endpoint NAME --config osler.toml --out FILE.json --markdown
    python benchmarks/real_models.py --endpoint NAME ... --beside EARLIER.json --markdown

The model has one seat at a time, the others are built in or scripted; then it is patient and examination
service of the consultations that AgentClinic's published loop plays on the same endpoint (`--agentclinic`
names the folder of its `agentclinic.py` and `agentclinic_medqa.jsonl`). Every part is written to FILE.json as
it ends, and one that stands there is not played again; with `--store`, one that ran out of time goes on.
Episodes go one at a time unless `--at-once` says otherwise. Start the server anew before each file: what it
has kept of the prompts of an earlier one makes fewer of them fresh.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from real_models_figures import Row, doctors, ends_of, figures, markdown, rows_of, seats_in
from real_models_loop import RECORDS, key_of, play
from real_models_plan import Part, beside_the_loop, loop_script, plan, scripts

import osler
from osler.errors import OslerError
from osler.files import write_whole
from osler.models.config import Endpoint
from osler.models.settings import Setting
from osler.runs import run as runs
from osler.runs.run import config_of, protocol_of
from osler.runs.seating import ModelOptions, open_cast
from osler.store.store import Store, open_store


def main() -> None:
    """Play what is missing, write the figures, and print them."""
    asked = _asked()
    out = Path(asked.out)
    options = _options(asked)
    endpoint = options.endpoints().endpoint(asked.endpoint)
    found = json.loads(out.read_text()) if out.exists() else _empty(asked, endpoint)
    began = time.monotonic()
    with _folder(asked) as folder, open_store(asked.store or f"{folder}/osler.db") as store:
        for part in _parts(asked, folder):
            before = next((one for one in found["parts"] if one["part"] == part.name), None)
            left_s = asked.minutes * 60 - (time.monotonic() - began)
            if left_s <= 0 or (before and (before["status"] == "done" or not asked.store)):
                continue
            print(f"{part.name} ...", file=sys.stderr)
            limited = options._replace(seconds=min(left_s, asked.part_minutes * 60))
            row = _played(part, limited, store, before, asked.at_once)
            found["parts"] = [one for one in found["parts"] if one is not before] + [row]
            _write(out, found)
    if asked.agentclinic and "loop" in asked.only:
        _play_loop(asked, endpoint, found, began)
    _write(out, found)
    beside = json.loads(Path(asked.beside).read_text()) if asked.beside else None
    if asked.markdown:
        print(markdown(found, beside))
    else:
        print(json.dumps({name: figures(rows) for name, rows in seats_in(found["parts"]).items()}, indent=1))
        print(json.dumps(doctors(found["parts"])))


def _parts(asked: argparse.Namespace, folder: Path) -> Iterable[Part]:
    model, players = f"model:{asked.endpoint}", scripts(folder)
    if "seats" in asked.only:
        for part in plan(model, players, asked.cases, asked.imported):
            if not asked.seats or part.seat in asked.seats:
                yield part
    if "loop" in asked.only and asked.agentclinic:
        yield beside_the_loop(model, players, asked.loop_cases, asked.agentclinic / RECORDS)


def _play_loop(asked: argparse.Namespace, endpoint: Endpoint, found: Row, began: float) -> None:
    """Play AgentClinic's loop of the cases that are not there yet, each written as it ends."""
    script, base, key = loop_script(), endpoint.base_url, key_of(endpoint.key_env)
    for number in range(len(found["loop"]), asked.loop_cases):
        if time.monotonic() - began > asked.minutes * 60:
            return
        print(f"AgentClinic's loop, case {number + 1} ...", file=sys.stderr)
        found["loop"].append(play(asked.agentclinic, base, endpoint.model, script, number, key))
        _write(Path(asked.out), found)


@contextmanager
def _folder(asked: argparse.Namespace) -> Iterator[Path]:
    """The folder of the scripts: beside the figures, where a run that goes on finds them again."""
    if asked.store:
        (kept := Path(asked.out).with_suffix(".scripts")).mkdir(parents=True, exist_ok=True)
        yield kept
        return
    with tempfile.TemporaryDirectory() as passing:
        yield Path(passing)


def _played(part: Part, options: ModelOptions, store: Store, before: Row | None, at_once: int) -> Row:
    """Play a part, or go on with it, and read its figures, however it ended."""
    began, status, why = time.monotonic(), "done", ""
    if before:
        run = store.run(before["run"])
        seated = open_cast(config_of(run), options, resumed=(run, store))
    else:
        seated = open_cast(part.config, options)
        run = runs.begin(seated.config, store, seated.more, about=seated.about)
    try:
        sat = runs.play(run, store, concurrency=at_once, more=seated.more, around=seated.around)
        status, why = sat.status, sat.why
    except OslerError as error:
        status, why = "failed", str(error)
    if status == "interrupted":
        raise KeyboardInterrupt
    return {
        "part": part.name,
        "run": run.name,
        "seat": part.seat,
        "source": part.source,
        "protocol": protocol_of(run).name,
        "status": status,
        "why": why,
        "seconds": round(time.monotonic() - began + (before["seconds"] if before else 0), 1),
        "done": list(store.done(run.id)),
        "ends": ends_of(store, store.run(run.name)),
        "rows": rows_of(store, run),
    }


def _options(asked: argparse.Namespace) -> ModelOptions:
    given: list[tuple[str, Any]] = [("temperature", asked.temperature)]
    if asked.answer_tokens:
        given.append(("max_answer_tokens", asked.answer_tokens))
    settings = tuple(Setting(asked.endpoint, name, value) for name, value in given)
    return ModelOptions(asked.config, settings=settings, keep_prompts=bool(asked.store))


def _empty(asked: argparse.Namespace, endpoint: Endpoint) -> Row:
    settings = {
        "temperature": asked.temperature,
        "seed": 0,
        "answer limit": asked.answer_tokens or "Osler's own",
        "episodes at once": asked.at_once,
        "cases a seat and source": asked.cases,
        "cases of the loop": asked.loop_cases,
        "imported": Path(asked.imported).name if asked.imported else "none",
    }
    return {
        "label": asked.label,
        "osler": osler.__version__,
        "model": endpoint.model,
        "settings": settings,
        "parts": [],
        "loop": [],
    }


def _write(out: Path, found: Row) -> None:
    write_whole(out, json.dumps(found, indent=1) + "\n")


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--endpoint", required=True, help="an endpoint of osler.toml")
    parser.add_argument("--config", type=Path, help="the osler.toml, else as everywhere")
    parser.add_argument("--out", required=True, help="the file of rows and figures; parts in it are kept")
    parser.add_argument("--label", default="now", help="the name of this file's form in tables")
    parser.add_argument("--only", default="seats,loop", type=lambda text: text.split(","))
    parser.add_argument("--seats", type=lambda text: text.split(","), help="as consultation/doctor,...")
    parser.add_argument("--cases", type=int, default=4, help="cases of each source for a seat")
    parser.add_argument("--imported", help="a file of cases to import, beside the library's")
    parser.add_argument("--loop-cases", type=int, default=12, help="cases beside AgentClinic's loop")
    parser.add_argument("--agentclinic", type=Path, help="the folder of AgentClinic's published loop")
    parser.add_argument("--answer-tokens", type=int, help="limit every answer, as max_answer_tokens")
    parser.add_argument("--temperature", type=float, default=0.0)
    parser.add_argument("--at-once", type=int, default=1, help="episodes played at once")
    parser.add_argument("--minutes", type=float, default=600.0, help="begin no part after these")
    parser.add_argument("--part-minutes", type=float, default=60.0, help="end a part after these")
    parser.add_argument("--store", help="keep the runs there, with their prompts; unfinished parts go on")
    parser.add_argument("--beside", help="an earlier file, to stand beside this one in the tables")
    parser.add_argument("--markdown", action="store_true", help="print tables")
    return parser.parse_args()


if __name__ == "__main__":
    main()
