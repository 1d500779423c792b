"""The encoder: like sentences have like vectors, the same text has the same one, and damage is reported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from hashlib import blake2b
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from osler.errors import BadInput
from osler.files import packaged_fingerprint
from osler.knowledge import fingerprint
from osler.reading.encoder import SCALE, encoder_of, hash_of, model_hash, vector

LINES = Path(__file__).parents[1] / "fixtures/patient_lines/p1.jsonl"
HASHED = 400


def cosine(one: str, other: str) -> float:
    return float(vector(one).astype(int) @ vector(other).astype(int)) / SCALE**2


def content() -> bytes:
    return resources.files("osler.reading").joinpath("encoder.npz").read_bytes()


def hash_of_vectors() -> str:
    """A hash over the vectors of the first questions of a fixture."""
    digest = blake2b(digest_size=8)
    for line in LINES.read_text(encoding="utf-8").splitlines()[:HASHED]:
        digest.update(vector(json.loads(line)["say"]).tobytes())
    return digest.hexdigest()


@pytest.mark.parametrize(
    ("question", "like", "unlike"),
    [
        ("Do you smoke?", "Any cigarettes at all?", "Any children at home?"),
        ("Since when is it disturbing you?", "When did this start?", "Where does it hurt?"),
        ("Is anybody at home sick?", "Has someone around you been ill?", "Have you been ill before?"),
    ],
)
def test_questions_of_one_meaning_lie_closer_than_others(question: str, like: str, unlike: str) -> None:
    assert cosine(question, like) > cosine(question, unlike)


def test_a_question_is_read_with_what_was_said_earlier() -> None:
    said = "And for how long?"
    assert not np.array_equal(vector(said, "Do you smoke?"), vector(said))


@pytest.mark.parametrize("text", ["Do you smoke?", "", "?!" * 4000, "疼吗", "\x00\ud800"])
def test_every_text_has_a_vector_of_length_one_within_rounding(text: str) -> None:
    length = float(np.sqrt((vector(text).astype(float) ** 2).sum())) / SCALE
    assert length == pytest.approx(1, abs=0.05)


def test_vectors_do_not_depend_on_the_number_of_threads() -> None:
    """400 vectors in another process, where numpy may use four threads, are those of this one."""
    code = "from tests.reading.test_encoder import hash_of_vectors; print(hash_of_vectors())"
    for threads in ("1", "4"):
        where = {**os.environ, "OPENBLAS_NUM_THREADS": threads, "PYTHONPATH": os.pathsep.join(sys.path)}
        run = subprocess.run(
            [sys.executable, "-c", code], env=where, capture_output=True, text=True, check=True
        )
        assert run.stdout.strip() == hash_of_vectors()


def test_the_hash_is_that_of_the_file_and_part_of_the_fingerprint() -> None:
    assert model_hash() == hash_of(content())
    assert fingerprint() == packaged_fingerprint("osler.knowledge", "osler.reading")
    assert fingerprint() != packaged_fingerprint("osler.knowledge")


@pytest.mark.parametrize("damaged", [b"", b"no archive", content()[:1_000_000], content()[:-2000]])
def test_a_damaged_file_is_reported_in_words(damaged: bytes) -> None:
    with pytest.raises(BadInput, match=r"encoder cannot be read .*install Osler anew"):
        encoder_of(damaged)
