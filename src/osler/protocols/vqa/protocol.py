"""A multiple-choice question with pictures as a value: all that Osler asks of a protocol."""

from __future__ import annotations

from typing import Final

from osler.core.judge import Judge
from osler.core.lazy import Lazy
from osler.core.protocol import Protocol
from osler.core.role import Role
from osler.core.wording import Wording
from osler.core.wrapper_events import WRAPPER_WORDS
from osler.players.wrappers.general import general_wrappers
from osler.protocols.vqa.config import VqaConfig
from osler.protocols.vqa.events import VQA_WORDS
from osler.protocols.vqa.judge import GRADER, judged
from osler.protocols.vqa.measures import GROUPS, MEASURES
from osler.protocols.vqa.players import BUILT_IN
from osler.protocols.vqa.seats import CANDIDATE, Answer
from osler.protocols.vqa.source import open_questions
from osler.protocols.vqa.story import story

PROTOCOL: Final = Protocol(
    one="question",
    many="questions",
    case="question",
    reading="",
    under_test="candidate",
    config=VqaConfig,
    source=open_questions,
    story=story,
    roles=(
        Role(
            contracts=(CANDIDATE,),
            players=BUILT_IN,
            default="uniform",
            model=Lazy("osler.protocols.vqa.model:ModelCandidate"),
            looks=True,
            wrappers=general_wrappers(CANDIDATE),
        ),
    ),
    words={**WRAPPER_WORDS, **VQA_WORDS},
    # Prose that may think aloud, not speech in a role: what it names is the judge's to read.
    reply_words={Answer: lambda reply, seat: Wording("", "reasons", reply.text, seat)},
    forms=Lazy("osler.protocols.vqa.forms:FORMS"),
    judges=(Judge(GRADER, judged, (GRADER,)),),
    failures=Lazy("osler.protocols.vqa.failures:failures"),
    measures=MEASURES,
    groups=GROUPS,
    notes=Lazy("osler.protocols.vqa.notes:VqaNoteTaker"),
    main=("accuracy", "unanswered", "chance", "seeing", "blind"),
    compared=("accuracy", "unanswered"),
    probes={"uniform": "nothing", "first": "the order of the options", "longest": "the options' length"},
    notice="Published questions about medicine: for education and research only. Not medical advice.",
)
