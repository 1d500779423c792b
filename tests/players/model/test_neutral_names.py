"""Neutral names: what a model may choose among, how it may write it, and what a form lists of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.players.model.neutral_names import MOST_NAMES, Names, name_of
from osler.players.model.schemas import fitted, form, list_of, listed, move, neutral_name, text
from tests.players.model.every_seat import SEATS, seated
from tests.players.model.test_forms import nodes

IDS = ("x7", "chest-x-ray", "f1")
NAMES = Names("F", IDS)
offered = st.sets(st.sampled_from(IDS)).map(lambda ids: NAMES._replace(open=frozenset(ids)))
FORM = form(
    "match",
    move("MATCH", findings=listed(neutral_name("F", "a finding"), 8)),
    move("ONE", finding=neutral_name("F", "a finding", MOST_NAMES, "NONE")),
)


# What is meant


def test_the_names_are_constant_and_what_each_stands_for_is_the_order_of_the_view() -> None:
    assert NAMES.offered == ["F01", "F02", "F03"]
    assert [NAMES.name(one) for one in IDS] == NAMES.offered
    assert NAMES.all_meant(NAMES.offered) == IDS
    assert NAMES.name("made-up") == "made-up", "what is not listed stays as it is"


@pytest.mark.parametrize("written", ["F02", "f02", " F2 ", "F002", "f2", "chest-x-ray"])
def test_a_name_is_known_however_it_is_written_and_so_is_the_id(written: str) -> None:
    assert NAMES.meant(written) == "chest-x-ray"


@given(offered, st.sampled_from([*IDS, "F00", "F04", "F1", "F99", "P01", "x8", "", "Electrocardiogram"]))
def test_a_name_that_is_not_on_offer_is_refused_in_the_same_words_whether_or_not_it_exists(
    names: Names, written: str
) -> None:
    meant = {**dict(zip(("F01", "F02", "F03"), IDS, strict=True)), "F1": "x7"}.get(written, written)
    if meant in IDS and (names.open is None or meant in names.open):
        assert names.meant(written) == meant
        return
    with pytest.raises(ValueError, match="is not on offer now") as refusal:
        names.meant(written)
    listing = f"choose among {', '.join(names.offered)}" if names.offered else "there is none to choose"
    assert str(refusal.value) == f"{written!r} is not on offer now; {listing}"


@given(offered, st.text(max_size=200))
def test_whatever_is_written_for_a_name_is_an_id_on_offer_or_refused_at_bounded_length(
    names: Names, written: str
) -> None:
    try:
        said = names.name(names.meant(written))
    except ValueError as refusal:
        said = str(refusal)
    assert said in names.offered or ("not on offer" in said and len(said) < 400)


@pytest.mark.parametrize(
    ("written", "ids"),
    [
        (["F03", "F01", "f1"], ("f1", "x7")),
        ("F02", ("chest-x-ray",)),
        ([], ()),
        (None, ()),
        ("", ()),
    ],
)
def test_a_list_of_names_is_read_in_its_order_each_once(written: Any, ids: tuple[str, ...]) -> None:
    assert NAMES.all_meant(written) == ids


def test_an_id_of_the_same_form_as_a_name_is_the_id() -> None:
    """Cases may call their facts F02; the record's own ids are understood first."""
    names = Names("F", ("F02", "F01"))
    assert names.meant("F01") == "F01"
    assert names.meant("f1") == "F02"


# What a form lists


@pytest.mark.parametrize("name", SEATS)
def test_a_narrow_form_lists_exactly_what_is_on_offer(name: str) -> None:
    seat = seated(name)
    narrow = fitted(seat.form, seat.offers, narrow=True)
    assert fitted(seat.form, seat.offers, narrow=False) is seat.form
    for names in seat.offers:
        everywhere = {name_of(names.letter, number) for number in range(1, MOST_NAMES + 1)}
        before = [everywhere & set(node.get("enum", ())) for node in nodes(seat.form.json_schema)]
        after = [everywhere & set(node.get("enum", ())) for node in nodes(narrow.json_schema)]
        assert [bool(one) for one in before] == [bool(one) for one in after]
        assert all(one == set(names.offered) for one in after if one)
    assert narrow.shape == seat.form.shape, "an endpoint learns nothing anew"


@given(offered)
def test_a_narrow_form_keeps_the_shape_and_other_choices(names: Names) -> None:
    narrow = fitted(FORM, (names,), narrow=True)
    match, one = (each["properties"] for each in narrow.json_schema["properties"]["move"]["anyOf"])
    assert one["finding"]["enum"] == ([*names.offered, "NONE"] if names.offered else ["NONE"])
    if names.offered:
        assert match["findings"]["items"]["enum"] == names.offered
        assert narrow.shape == FORM.shape
    else:
        assert match["findings"]["maxItems"] == 0, "where nothing is on offer only an empty list fits"


def test_more_names_than_a_form_lists_are_asked_for_as_text_with_room_for_all() -> None:
    """Such as a turn of forty acts, each of which has to be assessed."""
    act = neutral_name("A", "name of the act", 12)
    asked = form("ruling", move("RULE", acts=list_of(24, act=act, why=text(9)), few=listed(act, 8)))
    enough, many = (Names("A", tuple(map(str, range(most)))) for most in (12, 30))
    assert fitted(asked, (enough,), narrow=False) is asked
    for narrow in (False, True):
        (rule,) = fitted(asked, (many,), narrow=narrow).json_schema["properties"]["move"]["anyOf"]
        acts, few = rule["properties"]["acts"], rule["properties"]["few"]
        assert acts["items"]["properties"]["act"] == text(8, "name of the act")
        assert (acts["maxItems"], few["maxItems"]) == (30, 8), "a list that holds only some stays short"
    assert many.meant("A30") == "29"


def test_a_form_that_has_no_place_for_a_name_stays_as_it_is() -> None:
    assert fitted(FORM, (Names("P", ("a", "b")),), narrow=False) is FORM
    assert fitted(FORM, (), narrow=True) is FORM
