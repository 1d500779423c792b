"""Importing: every leaf of a source has one holder, and whatever cannot be read is said, never lost."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.importers import ImportReport, Rejected, Tally, formats, import_file
from osler.cases.importers.agentclinic import import_record
from osler.cases.importers.demographics import age_of, sex_of, voice
from osler.cases.importers.json_paths import leaves_of, words_of
from osler.cases.importers.reading import MAX_RECORD_BYTES, Record, read_records
from osler.cases.importers.sentences import says_nothing, sentences, statements
from osler.cases.model import Case, Holder
from osler.errors import BadCase, BadInput
from tests.cases.importing import holder_of

ROOT = Path(__file__).parents[2]
SMALL = ROOT / "tests/fixtures/agentclinic_small.jsonl"
REAL = ROOT / "../shared/data/agentclinic/agentclinic_medqa.jsonl"
needs_real_data = pytest.mark.skipif(
    not REAL.exists(), reason="the AgentClinic data is not beside this checkout"
)


def imported(path: Path, form: str = "auto") -> tuple[list[Case], ImportReport]:
    tally = Tally()
    cases = list(tally.watch(import_file(path, form)))
    report = tally.report()
    assert report.read == report.imported + report.rejected
    return cases, report


def record(**osce: object) -> dict[str, object]:
    return {"OSCE_Examination": {"Patient_Actor": {}, "Correct_Diagnosis": "Gout", **osce}}


def held_text(case: Case, holder: Holder) -> str:
    """Everything that a holder has, the remarks on it included, as one text."""
    texts = {
        "opening": [case.opening.door_note, case.opening.words],
        "patient": [fact.text for fact in case.facts] + list(case.provenance.flags),
        "examination": [finding.result for finding in case.findings],
        "withheld": [leaf.text for leaf in case.withheld],
    }
    return " ".join(texts[holder]).lower()


def assert_every_leaf_is_held(source: Mapping[str, object], case: Case) -> None:
    holders: dict[str, set[Holder]] = {}
    for path, holder in case.leaves():
        holders.setdefault(path, set()).add(holder)
    assert all(len(them) == 1 for them in holders.values())
    for leaf in leaves_of(source):
        found = holder_of(case, leaf.path)
        assert found is not None, f"nobody holds {leaf.path}"
        told = held_text(case, found)
        for word in re.findall(r"\w+", words_of(leaf.value).lower()):
            # "and", "or" and commas may go where a list is taken apart.
            assert word in told or word in ("and", "or", "nor", "but", "however"), (
                f"{word!r} of {leaf.path} is lost"
            )


# --- what a record becomes


def test_a_record_goes_to_its_four_holders() -> None:
    case, *_ = imported(SMALL)[0]
    assert (case.id, case.age_years, case.sex, case.speaker) == (
        "agentclinic-0001",
        52.0,
        "female",
        "patient",
    )
    assert case.opening.door_note == "52-year-old woman. Find out why this woman has chest discomfort."
    assert "burning behind the breastbone" in case.opening.words
    assert case.task.answer == "Gastro-oesophageal reflux disease (GORD)"
    assert case.task.accepts == ("Gastro-oesophageal reflux disease", "GORD")
    assert [leaf.source for leaf in case.withheld] == ["OSCE_Examination.Correct_Diagnosis"]


def test_facts_are_one_statement_each_with_a_topic_and_denials_marked() -> None:
    case, *_ = imported(SMALL)[0]
    told = {fact.text: (fact.topic, fact.absent) for fact in case.facts}
    assert told["Non-smoker."] == ("tobacco", True)
    assert told["Drinks two glasses of wine a week."] == ("alcohol", False)
    assert told["Works as a librarian."] == ("occupation", False)
    assert told["Denies cough."] == ("systems", True)
    assert told["Denies black stools."] == ("systems", True)
    assert told["No trouble swallowing."] == ("associated", True)
    assert all(not fact.key for fact in case.facts if fact.absent)
    assert any(fact.key and fact.topic == "complaint" for fact in case.facts)


def test_containers_open_into_findings_that_answer_to_the_containers_name() -> None:
    case, *_ = imported(SMALL)[0]
    found = {finding.name: finding for finding in case.findings}
    assert found["Vital signs"].result == "Temperature: 36.7 °C; Blood pressure: 128/76 mmHg"
    assert found["Vital signs"].kind == "examination"
    assert found["Hemoglobin"].kind == "test"
    assert found["Hemoglobin"].aliases == ("Blood tests",)
    assert found["Chest X-ray"].kind == "image"
    assert "Imaging" in found["Chest X-ray"].aliases
    assert found["Chest X-ray"].result == "Clear lungs"


def test_odd_shapes_are_read_and_unknown_sections_are_withheld() -> None:
    case = imported(SMALL)[0][1]
    assert (case.age_years, case.sex, case.speaker) == (0.0958, "male", "parent")
    assert all(fact.known_by == "parent" for fact in case.facts)
    withheld = {leaf.source.removeprefix("OSCE_Examination."): leaf.text for leaf in case.withheld}
    assert withheld["Management_and_Follow_Up.Fluids"] == "Correct before surgery"
    assert withheld["Case_Notes"] == "written for a test"
    assert withheld["Test_Results.Diagnosis"] == "withheld here"
    assert withheld["Patient_Actor.Social_History"] == "N/A"
    assert withheld["Test_Results.Imaging"] == ""
    assert [fact.text for fact in case.facts if fact.topic == "medications"] == [
        "Vitamin D drops.",
        "Name: Simeticone.",
        "Since: 2.",
    ]


def test_a_diagnosis_in_a_result_is_flagged_and_said_where() -> None:
    cases, report = imported(SMALL)
    assert (
        cases[1].provenance.flags[0]
        == "leak: diagnosis named in Test_Results.Abdominal_Ultrasound.Findings[1]"
    )
    assert (report.read, report.imported, report.flagged, report.rejected) == (4, 3, 1, 1)
    assert [(reason.record, reason.kind) for reason in report.reasons] == [(2, "flagged"), (4, "rejected")]
    assert report.reasons[1].reason == "it has no diagnosis"


def test_of_several_diagnoses_one_is_the_answer_and_all_are_withheld() -> None:
    case = imported(SMALL)[0][2]
    assert case.task.answer == "Gout"
    assert {"Gout", "Hypertension", "ours"} == {leaf.text for leaf in case.withheld}
    assert any("several parts" in flag for flag in case.provenance.flags)


def test_a_diagnosis_told_in_the_opening_or_by_the_patient_is_flagged_apart() -> None:
    case = import_record(record(Objective_for_Doctor="Manage the gout of this man."), 1, "t")
    assert case.provenance.flags[0] == "given: diagnosis named in Objective_for_Doctor"


def test_every_leaf_of_our_fixture_has_one_holder() -> None:
    cases = {case.provenance.record: case for case in imported(SMALL)[0]}
    for item in read_records(SMALL):
        assert isinstance(item, Record)
        if str(item.number) in cases:
            assert_every_leaf_is_held(item.value, cases[str(item.number)])


@needs_real_data
def test_every_leaf_of_the_real_records_has_one_holder_and_keeps_its_words() -> None:
    cases, report = imported(REAL)
    assert (report.read, report.rejected) == (107, 0)
    for item, case in zip(read_records(REAL), cases, strict=True):
        assert isinstance(item, Record)
        assert_every_leaf_is_held(item.value, case)


@needs_real_data
def test_exactly_the_real_records_with_a_verbatim_diagnosis_are_flagged() -> None:
    leaking = set()
    for item in read_records(REAL):
        assert isinstance(item, Record)
        osce = item.value["OSCE_Examination"]
        assert isinstance(osce, dict)
        shown = json.dumps([osce["Physical_Examination_Findings"], osce["Test_Results"]]).lower()
        if json.dumps(osce["Correct_Diagnosis"]).strip('"').lower() in shown:
            leaking.add(item.number)
    _, report = imported(REAL)
    assert {reason.record for reason in report.reasons} == leaking
    assert report.flagged == len(leaking) > 0


# --- people and sentences


@pytest.mark.parametrize(
    ("text", "years", "sex"),
    [
        ("35-year-old female", 35, "female"),
        ("Newborn, 3050-g male, six hours post delivery", 0, "male"),
        ("1100-g newborn, 31 weeks' gestation", 0, None),
        ("18-month-old boy", 1.5, "male"),
        ("5-day-old", 0.0137, None),
        ("32-year-old woman, at 38 weeks' gestation", 32, "female"),
        ("A woman at 30 weeks", None, "female"),
        ("thirty-five-year-old man accompanied by his wife", 35, "male"),
        ("Age: 8 months; Gender: F", 0.6667, "female"),
        ("67M", 67, "male"),
        ("44", 44, None),
        ("400-year-old man", None, "male"),
        ("transgender woman, 30 years", 30, None),
        ("", None, None),
    ],
)
def test_age_and_sex_are_read_or_left_open(text: str, years: float | None, sex: str | None) -> None:
    assert (age_of(text).years, sex_of(text)) == (years, sex)


def test_an_infants_age_without_a_number_is_marked_as_a_guess() -> None:
    assert age_of("infant girl") == (0.5, True)


def test_a_parent_speaks_for_a_child_or_a_minor_they_bring() -> None:
    assert voice(7, "").speaker == "parent"
    assert voice(15, "Her mother reports that she is tired.").speaker == "parent"
    assert voice(15, "Her mother has asthma.").speaker == "patient"
    assert voice(40, "His mother reports that he is tired.").speaker == "patient"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Denies fever, cough or rash.", ["Denies fever", "Denies cough", "Denies rash"]),
        ("Does not smoke or drink alcohol.", ["Does not smoke", "Does not drink alcohol"]),
        ("Denies pain but reports itching.", ["Denies pain", "reports itching."]),
        # What is asserted after a comma must not be turned into a denial.
        ("No known reactions, immunizations up to date.", ["No known reactions, immunizations up to date."]),
        ("Denies swelling or redness of the knee.", ["Denies swelling or redness of the knee."]),
        (
            "Denies respiratory, gastrointestinal, or urinary symptoms.",
            ["Denies respiratory, gastrointestinal, or urinary symptoms."],
        ),
        ("Seen by Dr. Brown. It was 2.5 cm.", ["Seen by Dr. Brown.", "It was 2.5 cm."]),
    ],
)
def test_sentences_become_statements_about_one_thing(text: str, expected: list[str]) -> None:
    assert [said.text for said in statements(text)] == expected


@pytest.mark.parametrize("text", ["N/A", "Information not provided.", "Not applicable for age", "", "None."])
def test_placeholders_are_no_facts(text: str) -> None:
    assert says_nothing(text)


@pytest.mark.parametrize("text", ["No significant past medical history.", "Denies fever.", "No"])
def test_a_denial_is_no_placeholder(text: str) -> None:
    assert not says_nothing(text)


@given(st.text(max_size=2000))
def test_no_statement_is_longer_than_an_answer_can_be(text: str) -> None:
    assert all(0 < len(said.text) <= 800 for said in statements(text))


def sentences_by_copying(text: str) -> list[str]:
    """The rule in its plainest form: what follows each mark is copied to see how it goes on."""
    found, start = [], 0
    for mark in re.finditer(r"[.!?][\"'”’)]?(?=\s)|;(?=\s)|\n", text):
        piece = text[start : mark.end()]
        short = re.search(r"\b(?:dr|mr|mrs|ms|st|vs|approx|e\.g|i\.e|cf)\.$", piece[-8:], re.IGNORECASE)
        if piece.endswith(".") and (short or text[mark.end() :].lstrip()[:1].islower()):
            continue
        found.append(piece.strip(" ;\n") if piece.strip(" ;") else None)
        start = mark.end()
    found.append(text[start:].strip(" ;\n") if text[start:].strip(" ;") else None)
    return [piece for piece in found if piece is not None]


@given(st.text("ab AB.;!?\n\"’\u2028\x85", max_size=60) | st.lists(
    st.sampled_from(["Dr.", "e.g.", "She coughs.", "he ran.", "; ", "  ", "\n", ". ", "St. ", "x"])
).map("".join))  # fmt: skip
def test_sentences_are_cut_as_by_the_plainest_rule(text: str) -> None:
    assert list(sentences(text)) == sentences_by_copying(text)


# --- damaged files


def good(name: str = "Gout") -> bytes:
    return json.dumps(record(Correct_Diagnosis=name)).encode()


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        (good()[:-20], "too early"),
        (good().replace(b"Gout", b"Sj\xf6gren"), "not UTF-8"),
        (b'{"OSCE_Examination": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested"),
        (b"[1, 2]", "must be an object, not a list"),
        (b"null", "must be an object, not null"),
        (b"{}", "no OSCE_Examination"),
        (b'{"OSCE_Examination": 3}', "must be an object"),
        (b'{"OSCE_Examination": {"Correct_Diagnosis": {}}}', "no diagnosis"),
        (b'{"OSCE_Examination": {"Correct_Diagnosis": "N/A"}}', "no diagnosis"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not valid JSON"),
        (b'{"OSCE_Examination": "' + b"x" * (MAX_RECORD_BYTES + 1_000_000) + b'"}', "longer than"),
    ],
    ids=["cut", "latin-1", "deep", "list", "null", "bare", "wrapper", "empty", "n/a", "digits", "6 MB"],
)
def test_a_damaged_line_costs_only_itself(tmp_path: Path, damaged: bytes, reason: str) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + good("First") + b"\r\n\r\n" + damaged + b"\n" + good("Last"))
    cases, report = imported(path)
    assert [case.task.answer for case in cases] == ["First", "Last"]
    assert [(r.record, r.kind) for r in report.reasons] == [(3, "rejected")]
    assert reason in report.reasons[0].reason


def test_a_list_is_read_item_by_item_and_its_bad_items_cost_only_themselves(tmp_path: Path) -> None:
    path = tmp_path / "cases.json"
    tricky = good('a "quoted" ] \\\\ bracket')
    long = b'{"x": "' + b"y" * (MAX_RECORD_BYTES + 10) + b'"}'
    path.write_bytes(b"[" + b",\n".join([good(), b"{bad}", tricky, long, good("Last")]) + b"]\n")
    cases, report = imported(path)
    assert [case.task.answer for case in cases] == ["Gout", 'a "quoted" ] \\\\ bracket', "Last"]
    assert [r.record for r in report.reasons] == [2, 4]


def test_a_list_that_ends_early_is_said_to(tmp_path: Path) -> None:
    path = tmp_path / "cases.json"
    path.write_bytes(b"[" + good() + b"," + good()[:30])
    cases, report = imported(path)
    assert len(cases) == 1
    assert "ends in the middle" in report.reasons[0].reason


@given(
    st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=8), max_size=3), max_size=6), st.booleans()
)
def test_a_list_and_lines_hold_the_same_records(
    tmp_path_factory: pytest.TempPathFactory, items: list[dict[str, str]], ascii_only: bool
) -> None:
    folder = tmp_path_factory.mktemp("records")
    path = folder / "list.json"
    path.write_text(json.dumps(items, ensure_ascii=ascii_only), encoding="utf-8", errors="surrogatepass")
    found = [item.value for item in read_records(path) if isinstance(item, Record)]
    if ascii_only:
        assert found == items


@pytest.mark.parametrize("layout", ["[{0}, {1}, {0}]", "{0}\n{1}\n{0}\n"], ids=["list", "lines"])
def test_a_record_longer_than_its_format_allows_costs_only_itself(tmp_path: Path, layout: str) -> None:
    path = tmp_path / "cases.json"
    path.write_text(layout.format('{"a": 1}', json.dumps({"a": "x" * 3_000_000})))
    short, long, last = read_records(path, 2_000_000)
    assert isinstance(short, Record)
    assert isinstance(last, Record)
    assert long == Rejected(2, "the record is longer than 2 MB, and it would have to be held whole")


def test_one_object_over_several_lines_is_one_record(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_text(json.dumps(record(), indent=2))
    assert len(imported(path)[0]) == 1


def test_the_value_of_a_key_written_twice_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "twice.jsonl"
    path.write_text('{"OSCE_Examination": {"Correct_Diagnosis": "Gout", "Notes": "one", "Notes": "two"}}')
    (case,), _ = imported(path)
    assert {"one", "two"} <= {leaf.text for leaf in case.withheld}


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xff\xfe[\x00]\x00"], ids=["empty", "blank", "UTF-16"])
def test_a_file_with_nothing_to_read_is_bad_input(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(content)
    with pytest.raises(BadInput):
        list(import_file(path, "agentclinic"))


def test_a_folder_a_missing_file_and_an_unknown_format_are_bad_input(tmp_path: Path) -> None:
    for path, form in ((tmp_path, "auto"), (tmp_path / "none.jsonl", "auto"), (SMALL, "nejm")):
        with pytest.raises(BadInput):
            import_file(path, form)
    other = tmp_path / "other.json"
    other.write_text('{"name": "not cases"}')
    with pytest.raises(BadInput, match="not recognised"):
        import_file(other)


def test_the_formats_are_named() -> None:
    assert set(formats()) >= {"agentclinic", "agentclinic-nejm", "mediq", "craftmd", "medtutor", "mvme"}
    assert set(formats()) >= {"ddxplus", "fhir", "osler"}


def test_the_reasons_kept_are_capped_and_the_rest_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("osler.cases.importers.report.MAX_REASONS", 3)
    tally = Tally()
    assert list(tally.watch(Rejected(n, "no") for n in range(1, 8))) == []
    report = tally.report()
    assert (report.rejected, len(report.reasons), report.reasons_left_out) == (7, 3, 4)


def test_a_name_in_brackets_is_an_alias_and_a_key_that_describes_its_parent_opens_nothing() -> None:
    tests = {"Complete_Blood_Count_(CBC)": "Normal", "Imaging": {"Type": "Chest film", "Findings": "Clear"}}
    count, image = import_record(record(Test_Results=tests), 1, "t").findings
    assert (count.name, count.aliases) == ("Complete blood count", ("CBC",))
    assert (image.name, image.result) == ("Imaging", "Type: Chest film; Clear")


def test_too_many_pieces_are_refused() -> None:
    many = {"History": [f"Thing {n} happened." for n in range(3000)]}
    with pytest.raises(BadCase, match="more than 2000"):
        import_record(record(Patient_Actor=many), 1, "t")
    with pytest.raises(BadCase, match="characters"):
        import_record(record(Patient_Actor={"History": "word " * 100_000}), 1, "t")
    with pytest.raises(BadCase, match="a key is longer"):
        import_record(record(Test_Results={"x" * 2000: "y"}), 1, "t")


def test_hostile_text_is_read_in_good_time() -> None:
    started = time.process_time()
    for text in (
        "no " * 20_000,
        "denies a, " * 8_000,
        "and " * 20_000,
        "(" * 20_000,
        "a " * 40_000,
        "." * 40_000,
    ):
        list(statements(text[:20_000]))
        says_nothing("no " + "any other " * 14)
        age_of(text[:20_000])
    assert time.process_time() - started < 20


# --- anything at all under the known keys

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
ACTOR_KEYS = (
    "Demographics",
    "History",
    "Symptoms",
    "Past_Medical_History",
    "Social_History",
    "Review_of_Systems",
    "Medications",
)
OSCE_KEYS = (
    "Objective_for_Doctor",
    "Physical_Examination_Findings",
    "Test_Results",
    "Correct_Diagnosis",
    "Management",
    "x.y",
)
actors = anything | st.dictionaries(st.sampled_from(ACTOR_KEYS) | st.text(max_size=6), anything, max_size=5)
records = st.builds(
    lambda osce, actor, rest: {"OSCE_Examination": {**osce, "Patient_Actor": actor}, **rest},
    st.dictionaries(st.sampled_from(OSCE_KEYS), anything, max_size=6),
    actors,
    st.dictionaries(st.text(max_size=4), anything, max_size=2),
)


@given(records)
def test_anything_imports_with_every_leaf_held_once_or_is_refused_with_a_reason(
    source: dict[str, object],
) -> None:
    refusal, case = "", None
    try:
        case = import_record(source, 1, "test")
    except BadCase as error:
        refusal = error.what
    if case is None:
        assert refusal
    else:
        assert_every_leaf_is_held(source, case)
        assert Case.model_validate_json(case.model_dump_json()) == case
