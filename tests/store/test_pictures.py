"""The image files of runs in both databases: written when a run begins, shared, gone with the last run."""

from __future__ import annotations

import pytest

from osler.core.pictures import ImageFile
from osler.errors import BadInput
from osler.pictures.files import cleaned
from osler.store.store import Store, open_store
from tests.pictures.images import png


def kept(seed: int) -> tuple[ImageFile, bytes]:
    """An image file whose bytes can be had."""
    picture, raw = cleaned(png(seed))
    return picture.lies_at(lambda: raw), raw


def test_image_files_are_shared_by_runs_and_go_with_the_last(store: Store) -> None:
    (first, raw), (second, _) = kept(1), kept(2)
    one = store.begin_run("one", {}, 1, shown={"a name \x00.png": first, "b.png": second})
    two = store.begin_run("two", {}, 1, shown={"other.png": first})
    assert store.pictures(one.id) == {"a name \x00.png": first, "b.png": second}
    assert store.pictures(two.id) == {"other.png": first}
    assert store.picture(first.sha256) == raw
    store.delete_run("one")
    assert store.picture(second.sha256) is None
    assert store.picture(first.sha256) == raw
    store.delete_run("two")
    assert store.picture(first.sha256) is None


def test_the_bytes_of_a_picture_are_those_that_it_is_named_by(url: str) -> None:
    picture, raw = cleaned(png(33))
    with open_store(url) as store:
        with pytest.raises(BadInput, match="not at hand"):
            store.begin_run("none", {}, 1, shown={"x.png": picture})
        assert store.runs() == [], "nothing is begun without its images"
        run = store.begin_run("one", {}, 1, shown={"x.png": picture.lies_at(lambda: raw)})
        with pytest.raises(BadInput, match="not at hand"):
            picture.lies_at(lambda: b"another file by now").raw()
        assert picture.raw(store.picture) == raw
        assert store.pictures(run.id)["x.png"].raw() == raw
