"""The stored judgement of a ward round: its outcomes and proxy marks, as JSON that round-trips."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pydantic_core import from_json

from osler.cases.model import Case, TeachingPlan
from osler.core.judge import Verdict, verdict
from osler.core.trace import Trace
from osler.judging.scores import Score, scores_in
from osler.knowledge import fingerprint
from osler.protocols.ward_round.judge import built_in_marks as proxy
from osler.protocols.ward_round.judge.outcomes import PARTS, Leak, Outcomes, outcomes_of
from osler.protocols.ward_round.judge.transcripts import session_of_trace
from osler.text.languages import ENGLISH, NOT_ENGLISH

GRADER: Final = "round"
NOT_SCORED: Final = "not_scored"
VERSION: Final = f"2-{proxy.VERSION}-{fingerprint()}"


class RoundJudgement(NamedTuple):
    """The judgement of one ward round: its outcomes, and the proxy marks by name."""

    outcomes: Outcomes
    proxies: dict[str, Score]

    @property
    def stored(self) -> Verdict:
        """The judgement as it is stored, with the outer fields that every judgement has."""
        result = self.outcomes
        rejected = [[by, issue, times] for (by, issue), times in sorted(result.rejected.items())]
        outcomes = {**result._asdict(), "rejected": rejected, "leak": result.leak and result.leak._asdict()}
        if result.english:
            del outcomes["english"]
        return verdict(GRADER, VERSION, self.proxies, outcomes=outcomes)


def judged(
    case: Case, trace: Trace, plan: TeachingPlan | None = None, language: str = ENGLISH
) -> RoundJudgement:
    """Judge a trace. A round that cannot be scored has no marks either, with the reason; one held in another
    language than English has none of those that rest on words."""
    outcomes = outcomes_of(case, trace, english=language == ENGLISH)
    if not (outcomes.scored and outcomes.english):
        reason = NOT_ENGLISH if outcomes.scored else outcomes.why_not or NOT_SCORED
        return RoundJudgement(outcomes, dict.fromkeys(proxy.PROXIES, Score(None, reason)))
    return RoundJudgement(outcomes, proxy.proxies(session_of_trace(case, trace, plan)))


def judgement_of(text: str) -> RoundJudgement:
    """Parse the body of a stored judgement. Raises ValueError if it is anything else."""
    return judgement_in(from_json(text))


def judgement_in(body: Mapping[str, Any]) -> RoundJudgement:
    """The judgement in parsed JSON. Raises ValueError if it is anything else."""
    try:
        result = body["outcomes"]
        outcomes = Outcomes(
            **{
                **result,
                "before": {part: result["before"][part] for part in PARTS},
                "after": {part: result["after"][part] for part in PARTS},
                "leak": Leak(**result["leak"]) if result["leak"] else None,
                "new_steps": tuple(result["new_steps"]),
                "rejected": Counter({(by, issue): times for by, issue, times in result["rejected"]}),
            }
        )
        return RoundJudgement(outcomes, scores_in(body))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no judgement of a ward round: {error}") from None
