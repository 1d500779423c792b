"""Bases and their processors: loading, the training template, saving, hashes."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple

from osler.errors import BadInput
from osler.files import feed
from osler.training.backend import libraries
from osler.training.folder import servable

SIZE: Final = 16
TEMPLATE: Final = {"enable_thinking": False}
"""Given to every template, in training and as served: a base that can think aloud first does not, since the
seat's thought stands in its answer."""
VISION: Final = r".*(visual|vision|image|multi_modal|mm_projector|connector).*"
"""The modules that see; adapters are kept off them, since servers ignore adapters there."""


class Base(NamedTuple):
    """A base by its folder; `sees` says whether it takes pictures."""

    folder: Path
    hash: str
    sees: bool


def base_at(name: str) -> Base:
    """Find a base: a folder, a training's output, or a name that the hub client knows. Raises BadInput."""
    folder = servable(Path(name)) if Path(name).exists() else _fetched(name)
    return Base(folder, files_hash(folder), sees(folder))


def _fetched(name: str) -> Path:
    from huggingface_hub import snapshot_download

    if name.count("/") != 1:
        raise BadInput(
            "no such folder", where=name, hint="a folder with a model, or OWNER/NAME of a public one"
        )
    try:
        patterns = ["*.json", "*.jinja", "*.txt", "*.model", "*.safetensors", "README.md"]
        return Path(snapshot_download(name, allow_patterns=patterns))
    except Exception as error:  # whatever the client raises: the network, the name, the disk
        said = (str(error).splitlines() or [""])[0][:200]
        raise BadInput(f"cannot be fetched: {said}", where=name, hint="or name a local folder") from None


def _config(folder: Path) -> Any:
    from transformers import AutoConfig

    try:
        return AutoConfig.from_pretrained(folder)
    except Exception as error:  # a file from anywhere, read by others' code
        raise BadInput(f"is no model: {_short(error)}", where=str(folder)) from None


def sees(folder: Path) -> bool:
    """Whether a model takes pictures. Raises BadInput."""
    return hasattr(_config(folder), "vision_config")


def dtype_of(folder: Path) -> str:
    """The precision of a model's weights, by torch's name."""
    return str(getattr(_config(folder), "dtype", None) or "float32").removeprefix("torch.")


def load(folder: Path, precision: str, *, device: str = "") -> Any:
    """Load the weights of a model; only safetensors are read. Raises BadInput."""
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForImageTextToText

    kind = AutoModelForImageTextToText if sees(folder) else AutoModelForCausalLM
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    if not torch.cuda.is_available():
        libraries.reuse_freed_memory()
    try:
        model = kind.from_pretrained(folder, dtype=dtype, use_safetensors=True)
    except Exception as error:  # a file from anywhere, read by others' code
        raise BadInput(f"its weights cannot be loaded: {_short(error)}", where=str(folder)) from None
    return model.to(device) if device else model


def processor_of(folder: Path, pixels: int | None = None, *, sees_too: bool | None = None) -> Any:
    """Load the tokenizer of a model, or the processor of one that sees, with its training template: what it
    renders for a history is what was trained. `pixels` is the most that a picture is resized to; `sees_too`
    says which it is where the folder holds no model.

    Raises BadInput where the template leaves out earlier turns' words.
    """
    from transformers import AutoProcessor, AutoTokenizer

    kind = AutoProcessor if (sees(folder) if sees_too is None else sees_too) else AutoTokenizer
    try:
        processor = kind.from_pretrained(folder)
    except Exception as error:  # a file from anywhere, read by others' code
        raise BadInput(f"its tokenizer cannot be loaded: {_short(error)}", where=str(folder)) from None
    if not processor.chat_template:
        raise BadInput("its tokenizer has no chat template", where=str(folder), hint="take an instruct model")
    tokenizer = tokenizer_of(processor)
    template = _training_template(processor)
    processor.chat_template = tokenizer.chat_template = template
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    images = getattr(processor, "image_processor", None)
    if pixels and images is not None and hasattr(images, "merge_size"):
        # Qwen's processors count pixels; others' sizes are edges and are left as they are.
        least = min(int(images.size["shortest_edge"]), pixels)
        images.size = {"shortest_edge": least, "longest_edge": pixels}
    return processor


def _training_template(processor: Any) -> str:
    from trl.chat_template_utils import get_training_chat_template

    try:
        return str(get_training_chat_template(processor) or processor.chat_template)
    except ValueError:
        return str(processor.chat_template)  # unknown to TRL: whether it keeps prefixes is checked row by row


def tokenizer_of(processor: Any) -> Any:
    """The tokenizer of a processor; a tokenizer is its own."""
    return getattr(processor, "tokenizer", processor)


def save(model: Any, processor: Any, folder: Path) -> None:
    """Write a model with its processor and template, as safetensors."""
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)


def files_hash(folder: Path) -> str:
    """The hash over the files of a model: configuration, tokenizer and weights."""
    digest = blake2b(digest_size=SIZE)
    kinds = {".json", ".jinja", ".safetensors", ".txt", ".model"}
    for path in sorted(one for one in folder.iterdir() if one.suffix in kinds and one.is_file()):
        digest.update(f"{path.name}\0{path.stat().st_size}\0".encode())
        feed(digest, path)
    return digest.hexdigest()


def weights_hash(folder: Path) -> str:
    """The hash over the tensors in the safetensors files of a folder, however they are spread over files."""
    from safetensors import safe_open

    digest = blake2b(digest_size=SIZE)
    where = {
        name: path
        for path in sorted(folder.glob("*.safetensors"))
        for name in safe_open(path, "pt").keys()  # noqa: SIM118 - no mapping
    }
    for name, path in sorted(where.items()):
        with safe_open(path, "pt") as file:
            tensor = file.get_tensor(name)
        digest.update(f"{name}\0{tensor.dtype}\0{tuple(tensor.shape)}\0".encode())
        for part in _bytes_of(tensor):
            digest.update(part)
    return digest.hexdigest()


def _bytes_of(tensor: Any) -> Iterator[bytes]:
    import torch

    flat = tensor.contiguous().reshape(-1)
    for at in range(0, flat.numel(), 1 << 22):
        yield flat[at : at + (1 << 22)].view(torch.uint8).numpy().tobytes()


def generate(model: Any, inputs: Any, most: int) -> list[list[int]]:
    """The greedy answers to a batch of prompts, which are padded on the left, as token ids."""
    import torch

    width = inputs["input_ids"].shape[1]
    training = model.training
    model.eval()
    with torch.no_grad():
        out = model.generate(**inputs.to(model.device), max_new_tokens=most, do_sample=False)
    model.train(training)
    return [row[width:].tolist() for row in out]


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:300]
