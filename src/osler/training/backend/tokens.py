"""A tokenizer's counts, read from its file without its model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from osler.errors import BadInput
from osler.training.backend.libraries import need


def counter_of(path: Path) -> Callable[[str], int]:
    """Counts the tokens of a text by a `tokenizer.json`, or by the one in a folder. Raises BadInput."""
    need("tokenizers")
    from tokenizers import Tokenizer

    file = path / "tokenizer.json" if path.is_dir() else path
    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # the package raises bare exceptions
        why = " ".join(str(error).split())[:200]
        raise BadInput(f"is no tokenizer: {why}", where=str(file), hint="name a tokenizer.json") from None
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)
