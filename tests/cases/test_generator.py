"""Made-up cases: the same for the same number everywhere, sound, and in words that are read back."""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
import tracemalloc
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.expected_findings import unwritten
from osler.cases.generator.reports import BASICS
from osler.cases.generator.source import generated
from osler.cases.generator.wording import CHILD_UNDER_YEARS, Wording, biography, result_words, wording
from osler.cases.generator.wording import visible as visible_signs
from osler.cases.importers.leaks import plain
from osler.cases.lint import answer_names, lint, visible
from osler.cases.model import Case
from osler.cases.sources import open_source
from osler.errors import BadInput
from osler.knowledge.coherence import coherent
from osler.knowledge.conditions import knowledge
from osler.knowledge.findings import finding, findings
from osler.knowledge.misspecified import misspecified
from osler.text.findings_in_text import mentions

IDS = [item.id for item in findings()]
WORDS = {name: wording(name) for name in IDS}
NUMBERS = re.compile(r"\{([\d.]+)\.\.([\d.]+)\}")
PRONOUNS = {
    "female": {"{He}": "She", "{he}": "she", "{his}": "her", "{His}": "Her", "{him}": "her"},
    "male": {"{He}": "He", "{he}": "he", "{his}": "his", "{His}": "His", "{him}": "him"},
}
AFFIRM = ("text", "says", "present", "child_present")
DENY = ("not_text", "not_says", "absent", "child_absent")
# Whoever has been told of a gallstone has one: the words for both are the same.
MEANT = {"gallstones_history": {"us_gallbladder"}}


def implied(name: str) -> set[str]:
    return {other for item in finding(name).implies for other in (item, *implied(item))}


def one_measurement(name: str) -> set[str]:
    """The other findings of the same slot."""
    slot = WORDS[name].slot
    return {other for other in IDS if slot and WORDS[other].slot == slot} - {name}


def filled(sentence: str) -> Iterator[str]:
    """A sentence for both sexes, with its numbers at their low and at their high ends."""
    for pronouns in PRONOUNS.values():
        written = sentence
        for place, word in pronouns.items():
            written = written.replace(place, word)
        yield NUMBERS.sub(r"\1", written)
        yield NUMBERS.sub(r"\2", written)


def sentences(words: Wording, fields: tuple[str, ...]) -> list[str]:
    texts = [getattr(words, field) or "" for field in fields]
    texts += words.present_in.values() if "present" in fields else ()
    texts += words.absent_beside.values() if "absent" in fields else ()
    return [written for text in texts for written in filled(text) if written]


def read(text: str) -> tuple[set[str], set[str]]:
    """What a text affirms and what it denies."""
    found = mentions(text)
    return {name for name in found if found[name]}, {name for name in found if not found[name]}


# --- the words


def test_what_is_there_is_read_back_as_itself_and_nothing_else() -> None:
    wrong = []
    for name, words in WORDS.items():
        allowed = {name} | implied(name) | MEANT.get(name, set())
        for text in sentences(words, AFFIRM):
            yes, no = read(text)
            if name not in yes or not yes <= allowed or not no <= one_measurement(name):
                wrong.append((name, text, yes, no))
    assert not wrong


def test_what_is_not_there_denies_that_one_thing() -> None:
    """With it falls what would imply it; of one measurement both ends are denied."""
    wrong = []
    for name, words in WORDS.items():
        also = {other for other in IDS if name in implied(other)} | MEANT.get(name, set())
        for text in sentences(words, DENY):
            yes, no = read(text)
            needed = {name} | one_measurement(name)
            if yes or not needed <= no or not no <= needed | also:
                wrong.append((name, text, yes, no))
    assert not wrong


def test_no_words_name_a_disease() -> None:
    names = [
        plain(name) for c in knowledge().conditions for name in (c.name, *c.synonyms) if name.upper() != name
    ]
    texts = [text for words in WORDS.values() for text in sentences(words, (*AFFIRM, *DENY, "complaint"))]
    texts += [text for life in biography() for text in (life.text, life.says)]
    texts += [text for _, text in visible_signs().values()]
    said = f" {' | '.join(plain(text) for text in texts)} "
    assert [name for name in names if f" {name} " in said] == []
    assert "{" not in said


def test_what_cannot_go_together_says_so_on_both_sides() -> None:
    for name, words in WORDS.items():
        assert not set(words.excludes) & ({name} | implied(name))
        assert set(words.excludes) >= one_measurement(name)
        for other in words.excludes:
            assert name in WORDS[other].excludes, (name, other)


def test_who_can_have_something_can_have_what_it_implies() -> None:
    for name, words in WORDS.items():
        for other in implied(name):
            low, high = WORDS[other].ages
            assert low <= words.ages[0] < words.ages[1] <= high, (name, other)
            assert WORDS[other].sex in (None, words.sex)


def test_people_come_with_many_complaints_which_name_no_other_finding() -> None:
    came = {name: words.complaint for name, words in WORDS.items() if words.complaint}
    assert len(came) >= 90
    assert {finding(name).kind for name in came} == {"symptom"}
    for name, complaint in came.items():
        for text in filled(complaint):
            assert read(text)[0] <= {name} | implied(name), (name, text)


def test_under_twelve_words_stand_for_numbers_that_differ_by_age() -> None:
    for name in ("tachycardia", "tachypnoea", "hypotension", "hypertension", "wbc_high", "creatinine_high"):
        for there in (True, False):
            child = result_words(WORDS[name], CHILD_UNDER_YEARS - 1, there=there)
            grown = result_words(WORDS[name], CHILD_UNDER_YEARS, there=there)
            assert not re.search(r"\d", child)
            assert re.search(r"\d", grown)


def test_lives_have_five_things_for_each_topic_and_hold_no_finding() -> None:
    topics = Counter(life.topic for life in biography())
    for topic in ("occupation", "home", "concerns", "expectations", "ideas", "diet"):
        assert topics[topic] >= 5
    for age in (0.5, 10.0, 17.0, 40.0, 66.0, 85.0):
        several = Counter(life.topic for life in biography() if life.ages[0] <= age < life.ages[1])
        assert several.keys() >= {"home", "concerns", "expectations", "ideas", "diet"}
        assert ("occupation" in several) == (age >= 16)
    for life in biography():
        for text in (*filled(life.text), *filled(life.says)):
            assert not mentions(text), text


# --- the source


def test_a_number_is_the_same_case_whenever_it_is_asked_for() -> None:
    source = generated("generated:40:11")
    streamed = list(source)
    assert source.report is not None
    assert source.report.imported == 40
    assert [source.get(i) for i in reversed(range(40))] == streamed[::-1]
    assert len({case.content_hash for case in streamed}) == 40
    assert len({case.id for case in streamed}) == 40


def test_any_index_of_many_is_there_at_once() -> None:
    source = generated("generated:100000000:2")
    last = source.get(99_999_999)
    assert last == generated("generated:100000000:2").get(99_999_999)
    assert last.provenance.record == "100000000"


def test_other_processes_make_the_same_cases() -> None:
    """Whatever their hash seed, here one of chance: nothing may hang on the order of a set."""
    code = (
        "from osler.cases.generator.source import generated\n"
        "for wrong in ('', ':misspecified'):\n"
        "    for i in range(10):\n"
        "        print(generated('generated:10:7' + wrong).get(i).content_hash)"
    )
    # A processor without these extensions sorts equals in another order, unless the sort is stable.
    extensions = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    there = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": "4242", "NPY_DISABLE_CPU_FEATURES": " ".join(extensions)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    here = [
        case.content_hash
        for spec in ("generated:10:7", "generated:10:7:misspecified")
        for case in generated(spec)
    ]
    assert there.splitlines() == here


@pytest.mark.parametrize(
    "spec",
    """generated generated: generated:10 generated:0:1 generated:-3:1 generated:3:-1 generated:1.5:1
    generated:ten:1 generated:10:1:wrong generated:10:1:misspecified:more generated:999999999:1""".split(),
)
def test_a_source_that_is_written_otherwise_is_refused_in_words(spec: str) -> None:
    with pytest.raises(BadInput) as refused:
        open_source(spec)
    assert refused.value.hint


@pytest.mark.parametrize("index", [-1, 10, 10**12])
def test_a_case_that_is_not_there_is_refused(index: int) -> None:
    with pytest.raises(BadInput, match="no case"):
        generated("generated:10:1").get(index)


def test_sources_are_told_apart_by_their_fingerprints() -> None:
    specs = ("generated:10:1", "generated:11:1", "generated:10:2", "generated:10:1:misspecified")
    marks = [generated(spec).fingerprint for spec in specs]
    assert len(set(marks)) == len(specs)
    assert all(re.fullmatch(r"[0-9a-f]{32}", mark) for mark in marks)


@pytest.mark.slow  # 360 cases, 60 of them traced
def test_memory_stays_flat() -> None:
    source = generated("generated:100000:5")
    # What is read of a sentence is kept, of each sentence once.
    for i in range(300):
        source.get(i)
    tracemalloc.start()
    try:
        for i in range(300, 310):
            source.get(i)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for i in range(310, 360):
            source.get(i)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 300_000  # fifty cases kept would be several times as large


# --- the cases


# A case takes some 20 milliseconds: few in the quick tests, and as many as find what is rare in the thorough.
CASES = 1000 if os.environ.get("HYPOTHESIS_PROFILE") == "thorough" else 200


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return list(generated(f"generated:{CASES}:1"))


def there(case: Case) -> set[str]:
    """Every finding that the facts and results of a case affirm."""
    texts = [fact.text for fact in case.facts] + [result.result for result in case.findings]
    return set[str]().union(*(read(text)[0] for text in texts))


def test_no_case_has_a_fault_and_none_names_its_answer(cases: list[Case]) -> None:
    faults = [(case.id, p) for case in cases[::25] for p in lint(case) if p.level == "error"]
    assert not faults
    for case in cases:
        said = f" {' | '.join(plain(place.text) for place in visible(case) if not place.ordered)} "
        names = [name for name in answer_names(case) if name.upper() != name]
        assert not [name for name in names if f" {plain(name)} " in said], case.id
        assert "{" not in case.opening.door_note + case.opening.words


def test_nobody_has_what_cannot_be_or_cannot_go_together(cases: list[Case]) -> None:
    for case in cases:
        assert case.age_years is not None
        assert case.sex is not None
        found = there(case) - {"us_gallbladder"} - {"gallstones_history"}
        for name in found:
            assert WORDS[name].can_occur(case.age_years, case.sex), (case.id, name)
            assert not found & set(WORDS[name].excludes), (case.id, name)


def test_what_a_disease_makes_likely_is_always_written(cases: list[Case]) -> None:
    """Save what nobody of this age and sex can have: a man's periods, a baby's headache."""
    for case in cases:
        assert case.age_years is not None
        assert case.sex is not None
        left = [item.id for item in unwritten(case) if WORDS[item.id].can_occur(case.age_years, case.sex)]
        assert not left, (case.id, left)


def test_results_do_not_contradict_what_they_say_of_themselves(cases: list[Case]) -> None:
    """A picture may also show a disease in words that are not a finding's own."""
    for case in cases[:300]:
        for result in case.findings:
            seen = {text for _, text in visible_signs().values()}
            assert case.diagnosis
            known = knowledge().condition(case.diagnosis.name)
            assert known
            shown = result.name in coherent(known.id).seen_on or any(text in result.result for text in seen)
            assert bool(read(result.result)[0]) or shown or not result.abnormal, (case.id, result)
            assert result.abnormal or not read(result.result)[0], (case.id, result)


def test_every_case_has_something_to_elicit_that_the_opening_does_not_say(cases: list[Case]) -> None:
    for case in cases:
        key = [fact for fact in case.facts if fact.key]
        assert key
        assert all(not fact.absent and fact.topic != "complaint" for fact in key)
        wanted = {(result.id,) for result in case.findings if result.key}
        assert set(case.workup.required if case.workup else ()) == wanted
        assert len({plain(fact.text) for fact in case.facts}) == len(case.facts)


def test_what_may_be_ordered_holds_what_other_diseases_would_show(cases: list[Case]) -> None:
    """What can be ordered would else give the disease away; and it is a workup, not a catalogue."""
    some = 0
    for case in cases:
        assert case.diagnosis
        known = knowledge().condition(case.diagnosis.name)
        assert known
        own = {finding(name).order for name in known.findings}
        assert 5 <= len(case.findings) <= 25
        assert sum(not result.abnormal for result in case.findings) >= 2
        some += any(result.name not in own and result.name not in BASICS for result in case.findings)
    assert some > 0.9 * len(cases)


def test_children_are_spoken_for_and_have_no_occupation(cases: list[Case]) -> None:
    young = [case for case in cases if (case.age_years or 0) < CHILD_UNDER_YEARS]
    assert len(young) > len(cases) / 20
    for case in young:
        assert case.speaker == "parent"
        assert all(fact.known_by == "parent" and fact.topic != "occupation" for fact in case.facts)


def test_other_diagnoses_are_weighed_and_each_is_told_apart(cases: list[Case]) -> None:
    for case in cases:
        assert case.diagnosis
        others = [other.name for other in case.diagnosis.alternatives]
        assert len(set(others)) == 3
        assert case.diagnosis.name not in others
        assert all(other.discriminators for other in case.diagnosis.alternatives)


@given(st.integers(0, 10**15 - 1), st.integers(0, 99_999_999), st.booleans())
def test_any_seed_and_number_make_a_case(seed: int, number: int, wrong: bool) -> None:
    spec = f"generated:100000000:{seed}{':misspecified' if wrong else ''}"
    case = generated(spec).get(number)
    assert case == generated(spec).get(number)
    assert Case.model_validate_json(case.model_dump_json()) == case
    assert not [problem for problem in lint(case) if problem.level == "error"]
    assert case.diagnosis
    assert knowledge().condition(case.diagnosis.name)


# --- the knowledge that is wrong on purpose


def test_misspecified_knowledge_is_wrong_in_the_same_way_every_time() -> None:
    known = knowledge()
    once, again = misspecified(known), misspecified(known)
    assert (once.present == again.present).all()
    assert [c.prior for c in once.conditions] == [c.prior for c in again.conditions]
    assert (misspecified(known, seed=1).present != once.present).any()
    assert [c.name for c in once.conditions] == [c.name for c in known.conditions]
    assert ((once.present > 0) & (once.present < 1)).all()
    for row, condition in enumerate(known.conditions):
        listed = [known.column[name] for name in condition.findings]
        assert (once.present[row, listed] != known.present[row, listed]).any()


def test_misspecified_cases_differ_from_the_plain_ones() -> None:
    plain_cases, wrong = list(generated("generated:30:1")), list(generated("generated:30:1:misspecified"))
    assert [case.diagnosis for case in plain_cases] != [case.diagnosis for case in wrong]
    assert [case.age_years for case in plain_cases] == [case.age_years for case in wrong]
