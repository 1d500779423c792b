"""Data sets of a study's conditions, and a study whose conditions name what their players learnt from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from osler.store.store import open_store
from tests.cli.commands import Osler, value
from tests.endpoints import running

PLAYED = ("study", "run", "ablations", "--limit=1")
BUILT = ("dataset", "build", "--study=ablations", "--out=sets", "--format=jsonl")
STAGES = ("study", "run", "simulation-stages", "--repeats=1")
WHOLE = "--stage=whole=model:one,data=sets/whole"
CUT = "--stage=no specialist=model:two,data=sets/no-specialist"
PARTS = (
    "whole",
    "one student",
    "no patient",
    "no specialist",
    "no supervisor",
    "no expert",
    "no private thought",
)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running() as base_url:
        yield base_url


@pytest.fixture(autouse=True)
def endpoints(osler: Osler, url: str) -> None:
    tables = [f'[endpoints.{name}]\nbase_url = "{url}"\nmodel = "{name}"\n' for name in ("one", "two")]
    Path("osler.toml").write_text("".join(tables), encoding="utf-8")


def test_parts_are_left_out_of_training_data_and_the_cells_name_the_data(osler: Osler) -> None:
    """The chain of the simulation stages: played without a part, written, and compared by what was learnt."""
    played = value(osler(*PLAYED, "--json"))
    sets = value(osler(*BUILT, "--validation=0", "--test=0", "--json"))["sets"]
    assert tuple(sets) == PARTS
    for name, one in sets.items():
        manifest = json.loads((Path(one["out"]) / "manifest.json").read_text(encoding="utf-8"))
        assert (manifest["conditions"], manifest["runs"]) == ([f"ablations: {name}"], [played["runs"][name]])
        assert osler("dataset", "audit", one["out"]).exit_code == 0
    without = json.loads(Path("sets/no-specialist/rows/single_train.jsonl").read_text().splitlines()[0])
    whole = json.loads(Path("sets/whole/rows/single_train.jsonl").read_text().splitlines()[0])
    assert (whole["about"]["reviewers"], without["about"]["reviewers"]) == (
        ["specialist", "supervisor"],
        ["supervisor"],
    )

    # The case that the data were made of is left out, with any that is nearly the same.
    words = (*STAGES, WHOLE, CUT, "--limit=4")
    found = value(osler(*words, "--json"))
    (left,) = found["left_out"].values()
    assert left["cases"] == 4
    assert 1 <= left["left_out"] < 4
    with open_store("osler.db", create=False) as store:
        for name, one in found["conditions"].items():
            assert one["episodes"] == 4 - left["left_out"]
            assert whole["case_id"] not in {
                row.case_id for row in store.episodes(store.run(one["run"]).id)
            }, name
    assert found["data_sets"].keys() == found["conditions"].keys() - {"floor"} == {"whole", "no specialist"}
    assert found["data_sets"]["no specialist"] == {
        "name": "no-specialist",
        "hash": sets["no specialist"]["hash"],
        "rows": sets["no specialist"]["samples"],
        "sessions": 1,
        "made_of": ["ablations: no specialist"],
    }
    shown = " ".join(osler(*words, "--out=stages.html").stdout.split())
    assert f"no specialist: trained on no-specialist ({sets['no specialist']['hash'][:12]})" in shown
    assert "made of ablations: no specialist" in shown
    assert "made of ablations: no specialist" in Path("stages.html").read_text(encoding="utf-8")


def test_a_study_that_was_played_on_other_worlds_gives_no_data(osler: Osler) -> None:
    osler("round", "--limit=1", "--max-rounds=1")
    refused = osler(*BUILT)
    assert refused.exit_code == 1
    assert "no run is of a study called 'ablations'" in " ".join(refused.stderr.split())
    own = {
        "name": "ablations",
        "title": "Two of them",
        "question": "Which?",
        "base": {"settings": {"max_rounds": 1}},
        "conditions": {"whole": {}, "no patient": {"patient": "none"}},
        "primary": {"figure": "learning_gain", "condition": "no patient", "against": "whole"},
    }
    Path("two.yaml").write_text(json.dumps(own))
    osler("study", "run", "two.yaml", "--limit=1", "--json")
    Path("other.yaml").write_text(
        json.dumps(
            own
            | {"conditions": {"whole": {}, "mild": {"students": 1}}}
            | {"primary": {"figure": "learning_gain", "condition": "mild", "against": "whole"}}
        )
    )
    osler("study", "run", "other.yaml", "--limit=1", "--seed=2", "--json")
    refused = osler(*BUILT)
    assert refused.exit_code == 1
    assert "were last played with different seed" in " ".join(refused.stderr.split())
    assert not Path("sets").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("dataset", "build", "--out=sets"), "names no run"),
        (("dataset", "build", "last", "--study=main", "--out=sets"), "names runs and a study"),
        ((*STAGES, "--stage=a=silent,data=nowhere", "--stage=b=lecturer"), "is no data set"),
        ((*STAGES, "--stage=a=silent,data=3", "--stage=b=lecturer"), "condition a: data names no folder"),
        (
            ("study", "run", "models", "--given=doctor=baseline,oracle"),
            "the doctor oracle is given the answer",
        ),
        (("study", "run", "longitudinal", "--given=tutor=silent"), "they keep no cards of earlier cases"),
        (("study", "run", "longitudinal", "--given=examinee=baseline"), "the rubric that the next case"),
    ],
)
def test_what_cannot_be_made_or_compared_is_refused_in_words(
    osler: Osler, words: tuple[str, ...], says: str
) -> None:
    done = osler(*words)
    assert done.exit_code == 1
    assert says in " ".join(done.stderr.split())
