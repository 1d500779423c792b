"""A pretrained base for training: a GGUF file or a local folder, written as weights that trainers read.

The chat template is kept as it came. The manifest holds the source's hash and licence as far as the file or
its makers' card state them: a licence that nobody stated is said not to be.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import osler
from osler.errors import BadInput
from osler.files import sha256_of, write_whole
from osler.training.backend import libraries, models

MANIFEST: Final = "base.json"
FORMAT: Final = "osler-base/1"
NOT_STATED: Final = "not stated"
_GGUF: Final = ".gguf"
_LICENCE_KEYS: Final = ("general.license", "general.license.name")
_CARD: Final = "README.md"


def make_base(source: str, out: Path, licence: str = "") -> dict[str, Any]:
    """Write a base for training into a new folder, and return its manifest.

    `source` is a GGUF file, a folder with a model, or OWNER/NAME of a public one; `licence` is that of the
    weights where the source does not state it. Quantized weights are written as 32-bit numbers: what was
    rounded away stays away. Raises BadInput.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise BadInput("the folder holds something else", where=str(out), hint="name another with --out")
    path = Path(source)
    if path.suffix.lower() == _GGUF:
        libraries.need(*libraries.NEEDED, "gguf")
        model, processor, stated, origin_hash = _of_gguf(path)
    else:
        libraries.need()
        found = models.base_at(source)
        model, processor = models.load(found.folder, "fp32"), models.processor_of(found.folder)
        stated, origin_hash = _card_licence(found.folder), found.hash
    models.save(model, processor, out)
    manifest = {
        "format": FORMAT,
        "source": path.name if path.exists() else source,
        "source_hash": origin_hash,
        "licence": licence or stated or NOT_STATED,
        "weights": sum(one.numel() for one in model.parameters()),
        "tokens": len(models.tokenizer_of(processor)),
        "context": int(model.config.get_text_config().max_position_embeddings),
        "weights_hash": models.weights_hash(out),
        "osler": osler.__version__,
        "libraries": libraries.versions(),
    }
    write_whole(out / MANIFEST, json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
    return manifest


def _of_gguf(path: Path) -> tuple[Any, Any, str, str]:
    """The model, its tokenizer, the licence that the file states, and the file's hash. Raises BadInput."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    if not path.is_file():
        raise BadInput("no such file", where=str(path))
    try:
        given = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name)
        tokenizer = AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
        licence = _gguf_licence(path)
    except Exception as error:  # a file from anywhere, read by others' code
        words = " ".join(str(error).split())[:300]
        raise BadInput(f"cannot be read as GGUF: {words}", where=str(path)) from None
    if not tokenizer.chat_template:
        raise BadInput("its tokenizer has no chat template", where=str(path), hint="take an instruct model")
    config = given.config
    # A model from GGUF counts as quantized and cannot be saved: its weights move to one that is not.
    vars(config).pop("quantization_config", None)
    model = AutoModelForCausalLM.from_config(config)
    model.load_state_dict(given.state_dict())
    model.tie_weights()
    return model, tokenizer, licence, sha256_of(path)


def _gguf_licence(path: Path) -> str:
    from gguf import GGUFReader

    fields = GGUFReader(path).fields
    stated = (str(fields[key].contents()) for key in _LICENCE_KEYS if key in fields)
    return next((one for one in stated if one), "")


def _card_licence(folder: Path) -> str:
    """The licence that a model's card states in its head."""
    if (folder / MANIFEST).is_file():
        known = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        return str(known.get("licence", ""))
    card = folder / _CARD
    for line in card.read_text(encoding="utf-8", errors="replace").splitlines() if card.is_file() else ():
        if line.startswith("license:"):
            return line.partition(":")[2].strip()
    return ""
