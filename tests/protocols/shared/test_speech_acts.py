"""Speech acts: what a doctor's words do, and the kind of answer that the patient gives."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.personas import persona
from osler.cases.sources import open_source
from osler.protocols.shared.claimed_facts import told_by_words
from osler.protocols.shared.patient import PatientView, contradicted_by
from osler.protocols.shared.players import voice
from osler.protocols.shared.players.patient import Answer, replayed
from osler.protocols.shared.views import patient_view
from osler.text.disclosure_conditions import assurances, secrecy
from osler.text.speech_acts import does_by_rule, risk_of

FIXTURES = Path(__file__).parents[2] / "fixtures"


@cache
def views() -> dict[str, PatientView]:
    plain = persona("plain")
    return {case.id: patient_view(case, persona=plain, unknown="standard") for case in open_source("library")}


def said(case: str, *lines: str) -> Answer:
    return replayed(views()[case], lines[:-1], lines[-1])


def test_lines_that_the_classifier_has_not_learned_get_an_answer_of_the_wanted_kind() -> None:
    """94 % of 282 (91 to 96 %)."""
    missed, tried = [], 0
    for line in (FIXTURES / "speech_acts/lines.txt").read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        kinds, case, words = (part.strip() for part in line.split("|", 2))
        found = said(case, *(part.strip() for part in words.split(">>")))
        tried += 1
        if found.kind not in kinds.split(","):
            missed.append((case, words, found))
    assert tried > 250
    assert len(missed) <= 0.1 * tried, missed


def test_a_courtesy_does_not_hide_the_question_after_it() -> None:
    before = ("Hello, my name is Dr Lane.", "Thank you.", "I'm sorry to hear that.", "That sounds hard.")
    asked = (
        "What brings you here?",
        "Do you have any allergies?",
        "Do you smoke?",
        "When did the pain start?",
    )
    told = [said("cardiology-01", f"{one} {two}").reply.revealed_facts for one in before for two in asked]
    assert sum(map(bool, told)) >= 0.9 * len(told)


def test_questions_of_the_world_and_the_textbook_are_turned_back() -> None:
    """145 of 150 are turned back; 1 is answered with a fact."""
    source = yaml.safe_load((FIXTURES / "off_topic.yaml").read_text(encoding="utf-8"))
    found = [
        said(case, words) for words in source["held_out"] for case in ("cardiology-01", "gynaecology-01")
    ]
    assert len(found) >= 140
    assert sum(one.kind in ("not_understood", "dont_know") for one in found) >= 0.94 * len(found)
    assert sum(bool(one.reply.revealed_facts) for one in found) <= 0.03 * len(found)


@pytest.mark.parametrize(
    ("case", "lines", "kind", "facts"),
    [
        ("psychiatry-01", ["Have you got any tablets at home?"], "fact", {"f11"}),
        ("psychiatry-01", ["Would you be happy for me to speak to your sister?"], "fact", {"f13"}),
        ("psychiatry-01", ["Can you keep yourself safe tonight?"], "dont_know", set()),
        ("psychiatry-01", ["What stops you?"], "fact", {"f13"}),
        ("gynaecology-01", ["Would you mind if I asked your brother to step out?"], "permission", set()),
        ("gynaecology-01", ["Could we have the room to ourselves?"], "permission", set()),
        ("gynaecology-01", ["Whatever you tell me won't go any further."], "acknowledge", set()),
        ("gynaecology-01", ["Is anyone hurting you at home?"], "decline", set()),
        ("gynaecology-01", ["I've got your pregnancy test back and it's positive."], "emotion", set()),
        ("gynaecology-01", ["Your pregnancy test is positive.", "How do you feel about that?"],
         "emotion", set()),
        ("gynaecology-01", ["I'm going to do an internal exam, there'll be a nurse in the room"
                            " with us, is that ok?"], "permission", set()),
        ("paediatrics-02", ["Has anyone dropped him or hurt him?"], "decline", set()),
        ("paediatrics-02", ["How are you coping as parents?"], "decline", set()),
        ("cardiology-01", ["cheer up, other people have it worse"], "emotion", set()),
        ("cardiology-01", ["I'm so sorry to hear that. It must be really hard."], "acknowledge", set()),
        ("cardiology-01", ["I'm so sorry, I've got some difficult news I need to share with you."
                           " Unfortunately you've got bowel cancer."], "emotion", set()),
    ],
)  # fmt: skip
def test_the_worst_exchanges_of_the_field_report(
    case: str, lines: list[str], kind: str, facts: set[str]
) -> None:
    found = said(case, *lines)
    assert (found.kind, set(found.reply.revealed_facts)) == (kind, facts), found.reply.answer


def test_privacy_and_either_way_of_speaking_of_secrecy_open_their_gates() -> None:
    sti = "Have you ever had a sexually transmitted infection?"
    for words in (
        "Whatever you tell me won't go any further.",
        "It stays private unless I think you're at risk.",
    ):
        assert said("gynaecology-01", words, sti).reply.revealed_facts == ("f14",)
    assert said("gynaecology-01", "I can't promise to keep it secret.", sti).kind == "decline"
    apart = "Could we have the room to ourselves?"
    assert "f13" in said("gynaecology-01", apart, "Has a condom ever split?").reply.revealed_facts


@pytest.mark.parametrize(
    ("words", "how"),
    [
        ("Whatever you tell me won't go any further.", "promised"),
        ("I won't tell a soul.", "promised"),
        ("What you say is private unless I think you're at risk.", "limited"),
        ("I'd only share it if I were worried about your safety.", "limited"),
        ("I can't keep this secret.", None),
        ("Do you live with anyone?", None),
    ],
)
def test_a_promise_of_secrecy_is_told_from_its_limits(words: str, how: str | None) -> None:
    assert secrecy(words) == how
    assert ("confidential" in assurances(words)) == (how is not None)


@pytest.mark.parametrize("case", ["cardiology-01", "psychiatry-01", "paediatrics-02"])
def test_everyone_says_who_they_are(case: str) -> None:
    known = views()[case].identity
    assert known
    found = said(case, "What's your name and date of birth?")
    assert found.kind == "fact"
    assert known.name in found.reply.answer
    assert known.birthday in found.reply.answer
    assert known.number in said(case, "And the hospital number?").reply.answer
    if known.speaker:
        assert known.speaker in found.reply.answer


def test_a_summary_is_confirmed_corrected_or_neither() -> None:
    right = "So the pain is low on the right and came on suddenly. Is that right?"
    assert said("gynaecology-01", right).kind == "confirm"
    wrong = said("gynaecology-01", "So you've had a fever and you've been vomiting. Have I got that right?")
    assert wrong.kind == "correct"
    assert wrong.reply.answer.startswith(voice.NOT_QUITE)
    assert wrong.reply.revealed_facts
    unknown = "So you keep goats and sing on Thursdays. Is that right?"
    assert said("gynaecology-01", unknown).kind in ("dont_know", "not_understood")


def test_what_the_doctor_explained_is_given_back_in_the_doctors_words() -> None:
    plan = "We'll do a heart tracing and give you aspirin."
    found = said("cardiology-01", plan, "Can you tell me back what we've agreed?")
    assert "heart tracing" in found.reply.answer
    assert said("cardiology-01", "Can you tell me back what we've agreed?").kind == "dont_know"


@pytest.mark.parametrize("words", ["r u allergic 2 anything", "wot tablets do u take", "do u av ani alergys"])
def test_a_question_is_never_merely_acknowledged(words: str) -> None:
    assert said("gynaecology-01", words).kind in ("fact", "denial", "not_understood")


def test_the_same_facts_after_another_question_are_not_said_to_be_said() -> None:
    asked = ["I'd like to see you alone.", "Are you sexually active?", "How many partners have you had?"]
    assert not said("gynaecology-01", *asked).reply.answer.startswith(voice.again(""))


def test_anxious_words_vary_and_keep_from_what_is_no_worry() -> None:
    world = "w"
    heavy = [voice.wrapped("It hurts.", "anxious", world, turn) for turn in range(24)]
    assert len(set(heavy)) >= 6
    assert max(heavy.count(one) for one in set(heavy) - {"It hurts."}) <= 3
    assert voice.wrapped("I love my job.", "anxious", world, 3, heavy=False) == "I love my job."


@pytest.mark.parametrize(
    ("words", "told", "against"),
    [
        ("Yes, I'm allergic to penicillin", set(), {"f19"}),
        ("no", set(), set()),
        ("I don't know", set(), set()),
        ("No, I'm not allergic to anything", {"f19"}, set()),
        ("I don't smoke", set(), {"f21"}),
    ],
)
def test_a_person_is_not_booked_with_what_they_did_not_say(
    words: str, told: set[str], against: set[str]
) -> None:
    seen = views()["gynaecology-01"]
    assert set(told_by_words(words, "", seen.facts)) == told
    assert set(contradicted_by(words, seen.facts)) == against


@given(st.text(max_size=300))
def test_any_words_can_be_read(words: str) -> None:
    does_by_rule("instruction", words)
    risk_of(words)
    assert said("ent-01", f"{words} ").reply.answer if words.strip() else True


def test_long_words_are_read_quickly() -> None:
    """The patterns look at the beginning of what is no sentence of a conversation."""
    assert not does_by_rule("privacy", "can i " * 20_000)
    assert risk_of("harm " * 20_000) is None
