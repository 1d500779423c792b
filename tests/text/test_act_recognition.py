"""Acts recognized in free words: several in one wording, the one that says most, misspelt, refused, later."""

from __future__ import annotations

import pytest

from osler.text.act_recognition import Act, Recognizer

KNOWN = Recognizer(
    [
        Act("check_glucose", ("glucose | sugar & check | measure",)),
        Act("give_glucose", ("glucose | dextrose & give | iv | bolus & !check",)),
        Act("adrenaline_im", ("adrenaline | epinephrine & im | intramuscular & 0.5 mg | 500 mcg",)),
        Act("adrenaline", ("adrenaline | epinephrine & give | im | iv | intramuscular",)),
        Act("give_insulin", ("insulin & give | start | iv",)),
        Act("stop_insulin", ("insulin & stop | withhold | hold",)),
        Act("attach_monitor", ("monitor & attach | connect",)),
        Act("blood_count", ("blood count & check | take",)),
    ]
)


def read(text: str) -> list[tuple[str, str]]:
    return [(found.act, found.how) for found in KNOWN.read(text)]


def test_of_several_acts_the_one_that_says_most_is_meant() -> None:
    assert read("Give adrenaline 0.5 mg IM") == [("adrenaline_im", "done")]
    assert read("epinephrine 500mcg intramuscular") == [("adrenaline_im", "done")]
    assert read("Give adrenaline IV") == [("adrenaline", "done")]
    assert read("Give adrenaline 1 mg IM") == [("adrenaline", "done")], "another dose is another act"


def test_each_act_of_one_wording_is_recognized_with_its_own_words() -> None:
    found = KNOWN.read("Please attach the monitor, check the glucose and then give dextrose IV.")
    assert [(each.part, each.act) for each in found] == [
        ("Please attach the monitor", "attach_monitor"),
        ("check the glucose", "check_glucose"),
        ("give dextrose IV", "give_glucose"),
    ]


def test_one_act_told_in_several_phrases_is_one() -> None:
    text = "Dextrose, 75 mL of 20 %, as a bolus, and through a large vein"
    assert [each.part for each in KNOWN.read(text)] == [text]
    assert read(text) == [("give_glucose", "done")]


def test_the_first_verb_goes_for_what_follows_it() -> None:
    assert read("Check the glucose and a full blood count") == [
        ("check_glucose", "done"),
        ("blood_count", "done"),
    ]


@pytest.mark.parametrize("text", ["give dextros iv", "check the glucos", "recheck the sugar"])
def test_a_misspelling_is_read_as_the_word_that_is_meant(text: str) -> None:
    assert read(text)[0][0] in ("give_glucose", "check_glucose")


@pytest.mark.parametrize("text", ["give noradrenaline 0.5 mg im", "start norepinephrine iv"])
def test_another_drug_is_no_misspelling(text: str) -> None:
    assert read(text) == [("", "done")]


@pytest.mark.parametrize(
    ("said", "act"), [("hypertonic", ""), ("hypotonc", "hypotonic"), ("hypotonik", "hypotonic")]
)
def test_too_much_is_no_misspelling_of_too_little(said: str, act: str) -> None:
    fluids = Recognizer([Act("hypotonic", ("hypotonic & saline",))])
    assert fluids.read(f"give {said} saline")[0].act == act


@pytest.mark.parametrize(
    "text", ["Do not give insulin", "Avoid giving insulin now", "insulin iv is contraindicated"]
)
def test_what_is_refused_is_not_done(text: str) -> None:
    assert read(text) == [("give_insulin", "refused")]


def test_an_act_that_is_itself_a_stopping_is_done_by_stopping() -> None:
    assert read("Withhold the insulin") == [("stop_insulin", "done")]


def test_what_is_kept_for_later_is_not_done_now() -> None:
    assert read("If the level falls, give dextrose iv") == [("give_glucose", "later")]


def test_what_nobody_knows_is_none() -> None:
    assert read("Sing to him") == [("", "done")]


def test_of_acts_that_say_as_much_one_that_is_likely_is_meant() -> None:
    two = Recognizer([Act("early", ("give & fluid",)), Act("late", ("fluid & give",))])
    assert two.read("give fluid", ["late"])[0].act == "late"
    assert two.read("give fluid", ["early"])[0].act == "early"
