"""Errors in words: the place and the reason."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from osler.errors import in_words


class Item(BaseModel):
    count: int


def test_a_fault_names_its_place_and_the_whole_only_where_it_has_none() -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(list[Item]).validate_python([{"count": 1}, {"count": "x"}])
    assert in_words(caught.value, "the file").startswith("1.count: Input should be a valid integer")
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(list[Item]).validate_python("x")
    assert in_words(caught.value, "the file") == "the file: Input should be a valid list"
    assert in_words(caught.value) == "Input should be a valid list"
