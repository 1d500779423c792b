"""Nothing of a FHIR record is lost without a word, and nothing that is not so is told, in any bundle."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.importers.fhir import import_bundle
from osler.cases.importers.fhir_record import ADMINISTRATIVE, without_kind
from osler.cases.importers.json_paths import Leaf
from osler.cases.importers.report import serious_flags
from osler.cases.model import Case, Withheld
from osler.errors import BadCase
from tests.cases.conservation import losses
from tests.cases.fhir_bundles import bundle_of, coded_elements, made, resource
from tests.cases.importing import damaged, shared, shown

# A bundle takes some milliseconds: few in the quick tests, and as many as find what is rare in the thorough.
BUNDLES = 20_000 if os.environ.get("HYPOTHESIS_PROFILE") == "thorough" else 300
REAL = shared("fhir")
KINDS_TOLD = ("Allergic to", "Takes", "Took", "Was given", "Was dispensed", "Underwent:", "Vaccinated:")


def in_words(leaf: Leaf) -> str:
    return without_kind(str(leaf.value))


def lost(bundle: dict[str, Any], case: Case) -> tuple[Leaf, ...]:
    return losses(coded_elements(bundle), case, in_words)


def test_made_bundles_tell_what_is_so_and_keep_the_rest() -> None:
    for seed in range(BUNDLES):
        bundle, told, untold, flagged = made(seed)
        case = import_bundle(bundle, 1, "t")
        said = shown(case)
        assert not [name for name in sorted(told) if name not in said], seed
        assert not [name for name in sorted(untold) if name in said], seed
        assert not lost(bundle, case), seed
        flags = " ".join(serious_flags(case))
        for n, entry in enumerate(bundle["entry"]):
            if any(name in json.dumps(entry) for name in flagged):
                assert f"entry[{n}].resource" in flags, (seed, n)
        for fact in case.facts:
            claims = any(
                fact.text.startswith(f"{kind} {word}") for kind in KINDS_TOLD for word in ("No", "Nil")
            )
            assert not claims, (seed, fact.text)


@given(st.integers(0, 10_000).map(lambda seed: made(seed).bundle).flatmap(damaged))
def test_a_damaged_bundle_of_any_version_is_a_case_or_refused(bundle: dict[str, Any]) -> None:
    try:
        case = import_bundle(bundle, 1, "t")
    except BadCase:
        return
    assert Case.model_validate_json(case.model_dump_json()) == case
    held = [path for path, _ in case.leaves()]
    assert len(held) == len(set(held))


def test_a_loss_is_seen() -> None:
    bundle = bundle_of(resource("AllergyIntolerance", "Latex"))
    case = import_bundle(bundle, 1, "t")
    assert not lost(bundle, case)
    without = case.model_copy(
        update={
            "facts": (),
            "withheld": tuple(leaf for leaf in case.withheld if leaf.source != "entry[3].resource[unread]"),
        }
    )
    assert "Latex" in {leaf.value for leaf in lost(bundle, without)}
    elsewhere = without.model_copy(
        update={"withheld": (*case.withheld, Withheld(text="Latex", source="entry[0]"))}
    )
    assert "Latex" in {leaf.value for leaf in lost(bundle, elsewhere)}


def _real() -> list[Path]:
    return sorted(REAL.glob("*/*.json")) if REAL.is_dir() else []


@pytest.mark.skipif(not REAL.is_dir(), reason="the bundles are not here")
def test_real_bundles_lose_nothing() -> None:
    read = 0
    for path in _real():
        bundle = json.loads(path.read_text(encoding="utf-8"))
        if not any(entry["resource"]["resourceType"] == "Condition" for entry in bundle["entry"]):
            with pytest.raises(BadCase, match="no Condition"):
                import_bundle(bundle, 1, path.name)
            continue
        case, read = import_bundle(bundle, 1, path.name), read + 1
        assert not lost(bundle, case), path.name
        kept = {source for source, _ in case.leaves()}
        for n, entry in enumerate(bundle["entry"]):
            kind = entry["resource"]["resourceType"]
            if kind not in ADMINISTRATIVE | {"Patient"}:
                assert f"entry[{n}].resource" in kept, (path.name, n, kind)
    assert read
