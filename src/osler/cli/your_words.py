"""The words to a person before they play: what is kept of theirs, where, for what, and how to delete it."""

from __future__ import annotations

from osler.core.permitted import MARKER, PRACTICE, people_in
from osler.runs.endpoints import ENDPOINTS
from osler.runs.judging import JudgeOptions, judged_by
from osler.store.records import RunInfo
from osler.store.store import Store


def told_before(run: RunInfo, store: Store, judging: JudgeOptions | None, flag: str) -> str:
    """The lines shown to a person before they play; "" for a run that nobody plays."""
    if not people_in(run.manifest):
        return ""
    hosts = [f"{name} at {one['host']} reads it" for name, one in run.manifest.get(ENDPOINTS, {}).items()]
    if judging is not None and judging.endpoint:
        hosts.append(f"{judging.name} at {judged_by(judging)['host']} marks it")
    beyond = f" Beyond this machine: {'; '.join(hosts)}." if hosts else " It stays on this machine."
    return (
        f"What you say is kept in {store.label} for your own {' '.join(PRACTICE)}, and for nothing else"
        f" unless you permit it.{beyond}\n"
        f"To permit more: osler permit {run.name} --uses research{flag}\n"
        f"To delete it: osler forget {run.name}{flag}"
    )


def marker_told(judging: JudgeOptions | None) -> dict[str, str]:
    """The entry of a run's manifest by which a model may mark a person who was told of it beforehand."""
    return {MARKER: judging.name} if judging is not None and judging.endpoint else {}
