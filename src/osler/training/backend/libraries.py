"""The libraries of the extra `train`: looked up before use, and kept quiet."""

from __future__ import annotations

import ctypes
import importlib
import logging
import os
import warnings
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from io import BytesIO
from typing import Any, Final

from PIL import Image, ImageOps

from osler.errors import BadInput, install_line

NEEDED: Final = ("torch", "transformers", "trl", "peft", "datasets", "accelerate", "pyarrow")
SERVING: Final = ("torch", "transformers", "fastapi", "uvicorn", "openai")
_LOUD: Final = ("transformers", "trl", "peft", "datasets", "accelerate", "torch", "httpx", "huggingface_hub")
_QUIET: Final = {
    "TOKENIZERS_PARALLELISM": "false",
    "TRANSFORMERS_VERBOSITY": "error",
    "DATASETS_VERBOSITY": "error",
    "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
}
_M_TRIM_THRESHOLD, _M_MMAP_MAX = -1, -4  # malloc.h
_ours: list[Any] = []


def need(*names: str) -> None:
    """Prepare the libraries for use. Raises BadInput, naming those that are not installed."""
    wanted = names or NEEDED
    missing = [name for name in wanted if find_spec(name) is None]
    if missing:
        raise BadInput(
            f"training needs what is not installed: {', '.join(missing)}",
            hint=install_line("train"),
        )
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"  # nothing is reported to anybody
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    for name in _LOUD:
        logging.getLogger(name).setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", module=r"(transformers|trl|peft|datasets|accelerate|torch|pyarrow)\b")
    if "transformers" in wanted:
        _torchvision_of_another_build()


def reuse_freed_memory() -> None:
    """Let the C library keep what a tensor on a CPU leaves: mapped anew for each, its pages take a third of
    a tiny training's time. Nothing happens where that library is not glibc."""
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        libc.mallopt(_M_MMAP_MAX, 0)
        libc.mallopt(_M_TRIM_THRESHOLD, 2**31 - 1)


def _torchvision_of_another_build() -> None:
    """Let transformers import a torchvision that was built for another torch (a CUDA build beside torch for
    the CPU). Its compiled operators are then missing, and the first import fails for want of their names;
    resizing needs none of them, and Pillow decodes."""
    if _ours or find_spec("torchvision") is None:
        return
    torch = importlib.import_module("torch")
    try:
        torch.ops.torchvision.nms  # noqa: B018 - asked whether it is there
        return
    except (AttributeError, RuntimeError):
        pass
    try:
        importlib.import_module("torchvision")
    except RuntimeError:
        library = torch.library.Library("torchvision", "DEF")
        for name in ("nms", "qnms"):
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        _ours.append(library)  # the operators last as long as this does
        decoding: Any = importlib.import_module("torchvision.io")
        decoding.decode_image = _decoded
    except (ImportError, OSError):
        return  # no pictures then; whoever needs them says so


def _decoded(source: Any, mode: Any = None, apply_exif_orientation: bool = False) -> Any:
    """Stand in for torchvision's decoder, by Pillow: an image's bytes as a tensor, or its path, to RGB."""
    numpy, torch = importlib.import_module("numpy"), importlib.import_module("torch")
    file = source if isinstance(source, str) else BytesIO(bytes(source.numpy()))
    with Image.open(file) as image:
        upright = ImageOps.exif_transpose(image) if apply_exif_orientation else image
        return torch.from_numpy(numpy.array(upright.convert("RGB"))).permute(2, 0, 1).contiguous()


def versions() -> dict[str, str]:
    """The versions of the libraries that are installed."""
    result = {}
    for name in (*NEEDED, "tokenizers", "torchvision"):
        try:
            result[name] = version(name)
        except PackageNotFoundError:
            continue
    return result
