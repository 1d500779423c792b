"""Small runs written to a store for the tests of reports and tables."""

from __future__ import annotations

from typing import Any, NamedTuple

from osler.cases.model import Case, Task
from osler.core.trace import Outcome
from osler.errors import Status
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.judge.built_in import judge
from osler.protocols.consultation.seats import Finalize
from osler.store.records import RunInfo
from osler.store.store import Store
from tests.judging.episodes import asked, case_of, ordered, trace_with

HOSTILE = "</dd></svg><script>alert(1)</script><img src=x onerror='a'>\"'&{{7*7}}\x00\x1b[2J\u202e\ud800=1+1 "
LONG = "W" * 10_000


class Episode(NamedTuple):
    """An episode to write down: what was concluded, `None` for nothing, and what its case says."""

    diagnosis: str | None = "Pulmonary embolism"
    plan: tuple[str, ...] = ("apixaban",)
    case_id: str = "clot"
    says: str = "It hurts when I breathe."
    status: Status = Status.COMPLETED
    reason: str = "concluded"
    specialty: str | None = None
    order: str = "CTPA"
    task: Task | None = None

    @property
    def case(self) -> Case:
        """A case of its own for each case id and specialty."""
        named = {"specialty": self.specialty, "title": self.case_id.encode("utf-8", "replace").decode()}
        return case_of(**named, **({"task": self.task} if self.task else {}))


def write_run(
    store: Store, *episodes: Episode, doctor: str = "baseline", name: str | None = None, **settings: Any
) -> RunInfo:
    """A run of these episodes, each judged; `settings` go into its configuration."""
    written = RunConfig(doctor=doctor).model_dump(mode="json")
    named = {"protocol": RunConfig.protocol, "cases_fingerprint": "f00d"}
    configuration = {**written, **named, **settings}
    manifest = {
        "configuration": configuration,
        "versions": {"python": "3"},
        "cases_given_as": "library",
    }
    run = store.begin_run(name, manifest, len(episodes))
    with store.writer(run.id) as writer:
        for ordinal, episode in enumerate(episodes):
            case = episode.case
            final = Finalize(diagnosis=episode.diagnosis, plan=episode.plan) if episode.diagnosis else None
            trace = trace_with(
                asked(episode.says, "flight"),
                ordered(episode.order, "ctpa"),
                final=final,
                status=episode.status,
            )
            found = judge(case, trace, options_shown=False)
            writer.case(case.content_hash, case.model_dump_json())
            for row in trace.rows:
                writer.exchange(ordinal, row)
            outcome = Outcome(*trace.outcome)._replace(reason=episode.reason)
            judged = [found.stored]
            writer.end(ordinal, f"{ordinal:032x}", case.content_hash, episode.case_id, outcome, judged)
    with store.claims(run.id) as claims:
        claims.leave("done")
    return store.info(run.id)
