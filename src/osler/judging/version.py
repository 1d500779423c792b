"""A grader's version: a number kept beside the judge, and a hash of the data, prompts and settings it uses.

Source code is not part of it: moving or rewording code changes no version. A change to how a judge asks or
decides must increment the `VERSION` beside it.
"""

from __future__ import annotations

from hashlib import blake2b

from pydantic_core import to_json


def version_of(number: str, **decides: object) -> str:
    """NUMBER-HASH, with a hash over everything that decides a verdict besides the judge's own code."""
    return f"{number}-{blake2b(to_json(decides), digest_size=6).hexdigest()}"
