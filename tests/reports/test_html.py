"""The page: complete, honest about what was not scored, the same for the same store, and text stays text."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.model import Task
from osler.core.config import Config
from osler.errors import BadInput, Status
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.measures import MANAGER
from osler.protocols.consultation.protocol import PROTOCOL
from osler.protocols.consultation.report import ConsultationParts
from osler.protocols.consultation.settings import Settings
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.ward_round.config import RoundConfig
from osler.reports.html import report_html
from osler.reports.html_cases import MOST_CASES
from osler.reports.page import clipped
from osler.reports.plots import MOST_RUNS
from osler.reports.run_report import Poor, Report, RunReport
from osler.runs import run as runs
from osler.runs.totals import totals
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from osler.studies.compare import compare
from osler.studies.reporting import report_run, report_runs
from tests.reports.stored_runs import HOSTILE, LONG, Episode, write_run

WRONG = Episode(diagnosis="Pneumonia", case_id="wrong-one")
UNSAFE = Episode(plan=("glyceryl trinitrate",), case_id="unsafe-one")
NEVER_SCORED = Episode(case_id="spoilt", status=Status.SIMULATOR_FAULT, reason="patient failed")


class Page(HTMLParser):
    """What a browser's parser would see: the tags in order, the attributes, and the words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.extend((name, value or "") for name, value in attrs)

    def handle_data(self, data: str) -> None:
        self.words += f" {data}"


def page_of(store: Store, *runs: RunInfo) -> Page:
    return Page(report_html(report_runs(runs, store)))


def page_text(*reports: RunReport) -> str:
    """The page of reports that were read or made up."""
    return report_html(Report(PROTOCOL, reports, sections=ConsultationParts.sections(reports)))


def words_of(store: Store, *runs: RunInfo) -> str:
    return " ".join(page_of(store, *runs).words.split())


def test_a_report_says_what_was_run_and_how_it_went(store: Store) -> None:
    run = write_run(store, *[Episode(case_id=f"clot-{n}", specialty="chest") for n in range(3)], WRONG)
    words = words_of(store, run)
    assert f"run {run.name}" in words
    assert "75.0% 95 % interval 30.1% to 95.4% 4 scored, 0 unscored" in words
    assert "correct and supported: 0.0% 0.0% to 49.0% (4 scored) concluded without evidence: 0.0%" in words
    assert "completed 4 (100.0%)" in words
    assert "cases_fingerprint f00d" in words
    assert "chest 100.0%" in words
    assert "facts elicited share of the case's key facts that were told 50.0%" in words
    assert "No language model answered in this run." in words
    assert words.count("For education and research only") == 2
    assert re.search(r"judged by baseline \S+: 4", words)


def test_many_unscored_leave_bounds_and_no_headline(store: Store) -> None:
    run = write_run(store, Episode(), WRONG, NEVER_SCORED)
    words = words_of(store, run)
    assert "No headline : 1 of 3 episodes are unscored, more than 5 %" in words.replace(
        "headline:", "headline :"
    )
    assert "If all of those were wrong, or all right: 33.3% to 66.7%" in words
    assert "answer bounds only 33.3% to 66.7% (bounds) 2 scored, 1 not" in words
    assert "50.0% 95 % interval" not in words
    assert "simulator_fault 1 (33.3%)" in words


def test_controls_are_played_on_the_cases_of_a_run(store: Store) -> None:
    run = write_run(store, *[Episode(case_id=f"clot-{n}") for n in range(4)])
    (report,) = report_runs([run], store).runs
    assert report.controls is not None
    rows = {row.name: row for row in report.controls.rows}
    assert list(rows) == ["base rate", "null", "always-conclude", "opening-only"]
    assert rows["null"].right.value == 0.0
    assert (rows["null"].gain.value, rows["null"].gain.n) == (1.0, 4), "run minus control"
    assert rows["base rate"].right.value == 1.0, "every case has the same answer: to name it is no merit"
    assert rows["base rate"].gain.value == 0.0
    words = words_of(store, run)
    assert "What each run gains over each control" in words
    assert "null looks at nothing" in words
    assert store.runs() == [store.info(run.id)], "controls are played for the report and kept nowhere"


def test_guessing_is_the_base_rate_where_options_are_shown(store: Store) -> None:
    options = {"A": "Pneumonia", "B": "Pulmonary embolism", "C": "Gout", "D": "Asthma"}
    task = Task(kind="choice", question="Which?", options=options, answer="B")
    shown = Settings(options="shown").model_dump(mode="json")
    run = write_run(store, *[Episode(case_id=f"clot-{n}", task=task) for n in range(3)], settings=shown)
    (report,) = report_runs([run], store).runs
    assert report.controls is not None
    rows = {row.name: row.right.value for row in report.controls.rows}
    assert rows["base rate"] == 0.25
    assert rows["options-longest"] == 1.0, "the longest option is the right one in each of them"
    assert rows["options-first"] == 0.0


def test_a_control_has_no_controls_and_is_called_one(store: Store) -> None:
    null = write_run(store, Episode(diagnosis=None, status=Status.OUT_OF_TURNS), doctor="null")
    words = words_of(store, null)
    assert "is itself a control: it looks at nothing" in words
    assert "A control: it looks at nothing." in words
    assert "What each run gains over each control" not in words
    both = words_of(store, write_run(store, Episode()), null)
    assert "What each run gains over each control" in both
    assert "B minus A" in both


def test_controls_can_be_left_out_and_the_page_says_so(store: Store) -> None:
    (report,) = report_runs([write_run(store, Episode())], store, controls=False).runs
    assert report.controls is None
    assert "No controls were played" in Page(page_text(report)).words


def test_where_a_run_cannot_be_set_up_again_the_page_says_why(store: Store) -> None:
    strange = write_run(store, Episode(), persona="of another version")
    branch = write_run(store, Episode(), branch={"kept_by": []})
    assert "cannot read how the run was set up" in words_of(store, strange)
    assert "controls are played only for whole consultations" in words_of(store, branch)


def test_of_many_cases_the_controls_play_some_and_say_how_many_not(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("osler.studies.trivial_baselines.MOST_CASES", 3)
    run = write_run(store, *[Episode(case_id=f"clot-{n}") for n in range(7)])
    (report,) = report_runs([run], store).runs
    assert report.controls is not None
    assert (report.controls.cases, report.controls.left_out) == (3, 4)
    assert all(row.gain.n == 3 for row in report.controls.rows)
    assert "4 of its cases were not played by the controls" in words_of(store, run)


def test_the_frontier_names_who_is_beaten(store: Store) -> None:
    cases = [f"clot-{n}" for n in range(6)]
    good = write_run(store, *[Episode(case_id=case) for case in cases], name="good")
    bad = write_run(store, *[Episode(case_id=case, diagnosis="Gout") for case in cases], name="bad")
    oracle = write_run(store, *[Episode(case_id=case) for case in cases], doctor="oracle")
    words = words_of(store, good, bad, oracle)
    assert "The frontier over the 6 cases" in words
    assert re.search(r"B baseline .{0,200} no beaten by A in 0.0% of resamples", words)
    assert "left out: it was given the answer" in words
    assert "No frontier" in words_of(store, good, write_run(store, Episode(case_id="another")))


def test_how_the_doctor_talked_is_counted_and_called_formative(store: Store) -> None:
    run = write_run(store, Episode(says="What brings you in? You don't smoke, do you?"), Episode(case_id="b"))
    (report,) = report_runs([run], store).runs
    assert report.own.heard == 2
    assert (report.own.talk["open_questions"].value, report.own.talk["open_questions"].n) == (0.5, 2)
    assert report.own.talk["leading_questions"].value == 0.5
    assert report.own.talk["cues_taken_up"].value is None, "nobody voiced a feeling"
    words = words_of(store, run)
    assert "Formative, and not part of any score" in words
    assert "open questions, of questions asked 50.0%" in words


def test_the_managers_scores_stand_together(store: Store) -> None:
    words = words_of(store, write_run(store, Episode(), UNSAFE))
    manager = words[words.rindex("The manager's scores") : words.rindex("How the doctor talked")]
    for name in MANAGER:
        assert name in manager


def test_the_worst_episodes_can_be_read(store: Store) -> None:
    run = write_run(store, Episode(), WRONG, UNSAFE)
    worst = report_run(run, store).worst
    assert [poor.case_id for poor in worst] == ["unsafe-one", "wrong-one"], "the harmful one first"
    assert any("glyceryl trinitrate" in entry for entry in worst[0].lacks["Unsafe acts the doctor named"])
    assert worst[1].lacks["The doctor's score"][0].startswith("wrong: Pneumonia")
    assert "Heart rate: 118 a minute" in worst[1].lacks["Key facts and findings the doctor did not obtain"]
    assert ("0:01", "doctor", "It hurts when I breathe.") in worst[1].transcript
    words = words_of(store, run)
    assert f"osler show {run.name}:1" in words
    assert words.index("unsafe-one right") < words.index("wrong-one wrong")


def test_controls_have_no_worst_episodes(store: Store) -> None:
    assert report_run(write_run(store, WRONG, doctor="always-conclude"), store).worst == []


def test_the_oracle_is_called_privileged(store: Store) -> None:
    assert "Privileged: this doctor was given the answer" in words_of(
        store, write_run(store, Episode(), doctor="oracle")
    )


def test_cases_are_matched_between_runs_and_the_lowest_come_first(store: Store) -> None:
    first = write_run(store, Episode(case_id="a"), Episode(case_id="b", diagnosis="Pneumonia"))
    second = write_run(store, Episode(case_id="a"), Episode(case_id="c"))
    words = words_of(store, first, second)
    cases = words[words.index("Right over the repeats of each case") :]
    assert re.search(r"b\s?A 0\.0% .* B not played\s?a\s?A 100\.0% .* B 100\.0% .*c\s?A not played", cases)


def test_of_many_cases_the_lowest_are_shown_and_the_rest_counted(store: Store) -> None:
    run = write_run(store, *[Episode(case_id=f"case-{n:03}") for n in range(MOST_CASES + 20)])
    text = page_text(report_run(run, store))
    assert text.count("<li><span>case-") == MOST_CASES
    assert "20 further cases are left out" in text


@pytest.mark.parametrize("bad", [HOSTILE, LONG, HOSTILE * 100])
def test_hostile_text_stays_text(store: Store, bad: str) -> None:
    plain_run = write_run(
        store, Episode(diagnosis="No", specialty="x", says="x", plan=("x",), order="x"), unknown="standard"
    )
    nice = Page(page_text(report_run(plain_run, store)))
    case_id = bad.encode("utf-8", "replace").decode()
    episode = Episode(case_id=bad, says=case_id[:3900], reason=bad, specialty=case_id, plan=(case_id[:500],))
    episode = episode._replace(diagnosis=case_id[:300], order=case_id[:300])
    run = write_run(store, episode, unknown=case_id)
    report = report_run(run, store)
    talk = report_run(plain_run, store).own.talk  # what has no value is folded away, and words are counted
    text = page_text(report._replace(own=report.own._replace(talk=talk)))
    page = Page(text)
    assert page.tags == nice.tags, "nothing that a player wrote became an element"
    assert not any(name.startswith("on") for name, _ in page.attributes)
    assert "<script" not in text
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", text)
    assert text.encode("utf-8")


def plain_report(**changes: object) -> RunReport:
    """A report of one run without a store."""
    with open_store(":memory:") as store:
        return report_run(write_run(store, WRONG, name="plain"), store)._replace(**changes)  # type: ignore[arg-type]


PLAIN = plain_report()


@given(st.text(max_size=200))
def test_no_text_anywhere_makes_or_breaks_an_element(bad: str) -> None:
    poor = Poor(0, bad, {"Score": [bad]}, [(bad, bad, bad)])
    nice = PLAIN._replace(
        worst=[Poor(0, "x", {"Score": ["x"]}, [("x", "x", "x")])],
        specialty_of=dict.fromkeys(PLAIN.specialty_of, "x"),
        used=used("x"),
    )
    changed = PLAIN._replace(
        worst=[poor],
        player=bad,
        configuration={**PLAIN.configuration, "cases_fingerprint": bad},
        graders={bad: 1},
        specialty_of=dict.fromkeys(PLAIN.specialty_of, bad),
        cases=[case._replace(id=bad) for case in PLAIN.cases],
        used=used(bad),
    )
    assert Page(page_text(changed)).tags == Page(page_text(nice)).tags


def used(name: str) -> dict[str, dict[str, dict[str, int | float | None]]]:
    counts = ("replies", "calls", "prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens")
    return {"doctor": {name: {**dict.fromkeys(counts, 1200), "cached_tokens": None}}}


def test_use_of_models_is_shown_by_seat() -> None:
    words = Page(page_text(PLAIN._replace(used=used("clinic")))).words
    assert "1,200" in words
    assert "clinic" in words


def test_the_page_needs_no_network_and_no_script(store: Store) -> None:
    text = page_text(report_run(write_run(store, Episode(), WRONG), store))
    page = Page(text)
    assert {value for name, value in page.attributes if name in ("href", "src")} == {
        value for _, value in page.attributes if value.startswith("#")
    }
    assert not {"script", "link", "img", "iframe", "object", "form"} & set(page.tags)
    assert "url(" not in text
    assert "@import" not in text
    assert "default-src 'none'" in text


def test_every_number_is_finite(store: Store) -> None:
    text = page_text(report_run(write_run(store, Episode(diagnosis=None), NEVER_SCORED), store))
    assert not re.search(r"[\s\"(>](?:nan|inf|-inf)[\s\"%)<]", text)


def test_the_same_store_gives_the_same_bytes(store: Store) -> None:
    runs = [write_run(store, Episode(), WRONG, UNSAFE), write_run(store, Episode(), doctor="null")]
    assert report_html(report_runs(runs, store)) == report_html(report_runs(runs, store))


def test_the_results_hash_follows_the_results_and_not_the_names(store: Store) -> None:
    first, again, other = (report_run(write_run(store, one), store) for one in (WRONG, WRONG, UNSAFE))
    assert first.results_hash == again.results_hash != other.results_hash
    assert first.configuration_hash == other.configuration_hash


def test_a_run_without_an_ended_episode_is_refused(store: Store) -> None:
    with pytest.raises(BadInput, match="no episode of this run has ended"):
        report_run(write_run(store), store)


def test_too_many_runs_are_refused(store: Store) -> None:
    run = write_run(store, Episode())
    assert len(report_runs([run] * MOST_RUNS, store).runs) == MOST_RUNS
    with pytest.raises(BadInput, match="too many"):
        report_runs([run] * (MOST_RUNS + 1), store)


def test_a_case_that_cannot_be_read_any_more_spoils_no_report(store: Store) -> None:
    run = write_run(store, WRONG)
    with store.writer(run.id) as writer:
        writer.case("c" * 32, '{"id":"clot"}')
    episode = next(store.episodes(run.id))
    found, trace, judgements = store.record(run.id, 0)
    store.forget(run.id, 0)
    with store.writer(run.id) as writer:
        for row in trace.rows:
            writer.exchange(0, row)
        judged = [(j.grader, j.version, j.body) for j in judgements]
        writer.end(0, episode.key, "c" * 32, found.case_id, found.outcome, judged)
    assert "cannot read the case any more" in words_of(store, run)


def test_long_text_is_cut_and_says_so() -> None:
    assert clipped("abc", 3) == "abc"
    assert clipped("x" * 1200, 3) == "xxx… (1,200 characters)"


# Every protocol


@pytest.mark.parametrize(
    ("config", "other", "worst"),
    [
        (RoundConfig(limit=3), {"tutor": "lecturer"}, "learning gain:"),
        (ScenarioConfig(limit=3), {"examinee": "null"}, "net score:"),
        (RunConfig(limit=3), {"doctor": "baseline-naive"}, "wrong:"),
    ],
    ids=["ward_round", "scenario", "consultation"],
)
def test_every_protocol_is_reported_from_its_measures(
    store: Store, config: Config, other: dict[Any, str], worst: str
) -> None:
    both = [runs.play(runs.begin(one, store), store).run for one in (config, config.seated(other))]
    report = report_runs(both, store)
    page = Page(report_html(report))
    words = " ".join(page.words.split())
    protocol = config.plays
    assert report.runs[0].measures == totals(both[0], store, traced=True).measures
    for measure in protocol.measures:
        found = report.runs[0].measures[measure.name]
        if found.n or found.unscored:
            assert measure.words in words
            assert measure.means in words
    assert f"Headline: {protocol.measures[0].words}" in words
    assert "B minus A" in words
    (compared,) = report.compared
    assert compared.refused == ()
    name = protocol.measures[0].name
    assert compared.differences[name].value == compare(both[0], both[1], store).scores[0].difference.value
    first = report.runs[0]
    assert first.controls is not None
    assert {row.name for row in first.controls.rows} & set(protocol.probes)
    poor = [one for run in report.runs for one in run.worst]
    assert next(iter(poor[0].lacks.values()))[0].startswith(worst)
    assert poor[0].transcript
    assert not re.search(r"[\s\"(>](?:nan|inf|-inf)[\s\"%)<]", report_html(report))


def test_runs_of_two_protocols_are_not_reported_together(store: Store) -> None:
    both = [
        runs.play(runs.begin(one, store), store).run for one in (RunConfig(limit=1), ScenarioConfig(limit=1))
    ]
    with pytest.raises(BadInput, match=r"is a run of consultations and .* one of scenarios"):
        report_runs(both, store)


def test_runs_that_cannot_be_compared_are_shown_with_the_reason(store: Store) -> None:
    words = words_of(store, write_run(store, Episode()), write_run(store, Episode(), doctor="oracle"))
    assert "B cannot be compared with A" in words
    assert "is privileged" in words
