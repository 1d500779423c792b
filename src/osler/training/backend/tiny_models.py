"""Tiny bases of random weights, built from configurations and a tokenizer that is trained on the spot."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from importlib import resources
from importlib.resources.abc import Traversable
from itertools import chain
from pathlib import Path
from typing import Any, Final

from osler.cases.personas.traits import names
from osler.cases.sources import open_source
from osler.errors import BadInput, install_line
from osler.training.backend import copying, libraries, models
from osler.training.backend.rows import Rows, text_of
from osler.training.splits import TRAIN

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


def tiny(
    out: Path, *, vision: bool = False, data: Path | None = None, seed: int = 7, copies: bool = True
) -> dict[str, Any]:
    """Write a tiny base to a new folder: with `vision` one that sees, its tokens made from the texts of a
    data set, `data`, or from Osler's own; without `copies` no head is set by hand.

    The same seed and texts give the same weights. Raises BadInput.
    """
    libraries.need()
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise BadInput("is there already", where=str(out), hint="name a new folder")
    if vision and not _video_processor():
        raise BadInput("pictures need torchvision", hint=install_line("train-vision"))
    texts = corpus(_texts(data) if data else ())
    tokenizer = _tokenizer(texts, VISION_TEMPLATE if vision else TEXT_TEMPLATE)
    model, processor = _seeing(tokenizer, seed) if vision else _reading(tokenizer, seed, copies)
    models.save(model, processor, out)
    return {
        "out": str(out),
        "weights": sum(one.numel() for one in model.parameters()),
        "tokens": len(tokenizer),
        "weights_hash": models.weights_hash(out),
    }


def _texts(data: Path) -> Iterator[str]:
    cache = data / ".tiny"
    try:
        for row in Rows(data, TRAIN, cache):
            yield from (text_of(one) for one in row.messages)
    finally:
        shutil.rmtree(cache, ignore_errors=True)


def _video_processor() -> bool:
    from transformers.utils import is_torchvision_available

    return bool(is_torchvision_available())


def _tokenizer(texts: Sequence[str], template: str) -> Any:
    """A byte-level BPE of the texts, with a chat template that TRL knows."""
    import trl
    from tokenizers import Regex, Tokenizer, decoders, pre_tokenizers, trainers
    from tokenizers import models as kinds
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(kinds.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PIECES), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    learns = trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=list(SPECIAL), initial_alphabet=alphabet, show_progress=False
    )
    # A name is one token, so that one which no row holds is copied like any other.
    tokenizer.train_from_iterator(chain(texts, (f"{one}\n {one}\n" * OFTEN for one in first_names())), learns)
    folder = Path(trl.__file__).parent / "chat_templates"
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=END,
        pad_token=PAD,
        additional_special_tokens=[one for one in SPECIAL if one not in (END, PAD)],
        padding_side="left",
        model_max_length=POSITIONS,
        chat_template=(folder / f"{template}.jinja").read_text(encoding="utf-8"),
    )


def _sizes(tokenizer: Any, width: int, heads: int) -> dict[str, Any]:
    return {
        "vocab_size": len(tokenizer),
        "hidden_size": width,
        "intermediate_size": 2 * width,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": heads,
        "num_key_value_heads": heads,
        "max_position_embeddings": POSITIONS,
        "tie_word_embeddings": True,
        "bos_token_id": None,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }


def _reading(tokenizer: Any, seed: int, copies: bool) -> tuple[Any, Any]:
    from transformers import LlamaConfig, LlamaForCausalLM, set_seed

    set_seed(seed)
    rotation = {"rope_type": "default", "rope_theta": copying.THETA}
    sizes = _sizes(tokenizer, copying.WIDTH, copying.HEADS)
    config = LlamaConfig(**sizes, head_dim=copying.HEAD, rope_parameters=rotation, attention_bias=True)
    model = LlamaForCausalLM(config)
    if copies:
        copying.set_copying(model, seed)
    return _stopping(model, tokenizer), tokenizer


def _seeing(tokenizer: Any, seed: int) -> tuple[Any, Any]:
    from transformers import (
        Qwen2_5_VLConfig,
        Qwen2_5_VLForConditionalGeneration,
        Qwen2_5_VLProcessor,
        Qwen2VLImageProcessor,
        Qwen2VLVideoProcessor,
        set_seed,
    )

    set_seed(seed)
    half = WIDTH // HEADS // 2
    rotary = [half - 2 * (3 * half // 8), 3 * half // 8, 3 * half // 8]  # time, height and width
    config = Qwen2_5_VLConfig(
        text_config={
            **_sizes(tokenizer, WIDTH, HEADS),
            "rope_parameters": {"rope_type": "default", "rope_theta": 1e6, "mrope_section": rotary},
        },
        vision_config={
            **{"depth": 2, "hidden_size": 32, "intermediate_size": 64, "num_heads": 2},
            **{"out_hidden_size": WIDTH, "patch_size": PATCH, "spatial_merge_size": 2},
            **{"fullatt_block_indexes": [1], "window_size": 4 * PATCH},
        },
        tie_word_embeddings=True,
        image_token_id=tokenizer.convert_tokens_to_ids("<|image_pad|>"),
        video_token_id=tokenizer.convert_tokens_to_ids("<|video_pad|>"),
        vision_start_token_id=tokenizer.convert_tokens_to_ids("<|vision_start|>"),
        vision_end_token_id=tokenizer.convert_tokens_to_ids("<|vision_end|>"),
    )
    cell = (2 * PATCH) ** 2
    processor = Qwen2_5_VLProcessor(
        image_processor=Qwen2VLImageProcessor(
            patch_size=PATCH, merge_size=2, size={"shortest_edge": cell, "longest_edge": 16 * cell}
        ),
        tokenizer=tokenizer,
        video_processor=Qwen2VLVideoProcessor(patch_size=PATCH, merge_size=2),
        chat_template=tokenizer.chat_template,
    )
    return _stopping(Qwen2_5_VLForConditionalGeneration(config), tokenizer), processor


def _stopping(model: Any, tokenizer: Any) -> Any:
    """A model that ends its answers."""
    from transformers import GenerationConfig

    model.generation_config = GenerationConfig(
        eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id
    )
    return model
