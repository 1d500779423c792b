"""Tiny bases: their size, and the texts that their words are learnt from.

A tiny base has random weights and learns on a laptop's processor what a real one learns on GPUs, by the same
commands. It proves the machinery; what it says is no evidence about teaching.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

from osler.cases.personas.traits import names
from osler.cases.sources import open_source

VOCABULARY, POSITIONS, LAYERS = 8192, 8192, 2
WIDTH, HEADS, PATCH = 64, 4, 14
"""The size of a base that sees; that of one that only reads follows from the heads that copy."""
TEXT_TEMPLATE: Final = "qwen3_instruct_2507"  # of any model: what TRL knows is the text of the template
VISION_TEMPLATE: Final = "qwen2_5_vl"
PAD, END = "<|endoftext|>", "<|im_end|>"
SPECIAL: Final = (
    *(PAD, "<|im_start|>", END),
    *("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"),
)
PIECES: Final = (
    r'<[^<>\n"]{1,60}"?>?'  # a tag, up to the value it may have
    r'|">|\n+'
    r"| ?\p{Lu}[\p{L}\p{M}]*"  # a name or the first word of a sentence
    r'|[^<"\n\p{Lu}]+?(?= ?\p{Lu}|[<"\n]|$)'  # what stands between two of these
    r'|["<]'
)
"""The pieces within which letters are joined to tokens. They are longer than words, so that rules which every
prompt repeats take few tokens, and a tag takes one."""


def packaged_texts() -> Iterator[str]:
    """The texts that come with Osler: the cases of the library, and the rules of every seat."""
    for case in open_source("library"):
        yield case.model_dump_json()
    yield from _templates(resources.files("osler.protocols"))


def _templates(folder: Traversable) -> Iterator[str]:
    for one in sorted(folder.iterdir(), key=lambda found: found.name):
        if one.is_dir():
            yield from _templates(one)
        elif one.name.endswith(".jinja"):
            yield one.read_text(encoding="utf-8")


OFTEN: Final = 60
"""Times that a first name stands in the texts that tokens are made from."""


def first_names() -> list[str]:
    """The first names that people in Osler's rounds have."""
    return sorted({name for place in names().values() for each in place.values() for name in each})


def corpus(texts: Iterable[str]) -> list[str]:
    """The texts that a tiny base's tokens are made from: those given, or else those that come with Osler."""
    return list(texts) or list(packaged_texts())
