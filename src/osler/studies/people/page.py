"""A study of people beside models as one HTML file: no script, no network, the same bytes every time."""

from __future__ import annotations

from osler.core.protocol import Protocol
from osler.reports.page import page_template
from osler.studies.people.beside import PeopleBeside
from osler.studies.people.differences import ASSUMED
from osler.studies.people.instructions import Instructions
from osler.studies.people.words import COLUMNS, DESIGNS, cells, designs, heading, left_words, notes, summary
from osler.studies.rating.human_anchor import HumanAnchor

NOTICE = (
    "For education and research only. Who plays best on made-up cases, by this judge, is no evidence of who"
    " would be better for a patient."
)


def people_html(
    beside: PeopleBeside | None, anchor: HumanAnchor, how: Instructions | None, protocol: Protocol
) -> str:
    """Return the HTML page; `how` are the instructions for a study that is still empty."""
    return page_template("people.html.j2", __package__).render(
        many=protocol.many,
        summary=summary(beside) if beside else "Nobody has sat.",
        left=list(left_words(beside.left_out)) if beside else [],
        anchor=anchor.line if beside else (how.why if how else ""),
        columns=COLUMNS,
        groups=[
            (
                heading(one),
                list(left_words(one.left_out)),
                [cells(each) for each in one.scores],
                list(notes(one)),
            )
            for one in (beside.beside if beside else ())
        ],
        refused=[reason for one in (beside.beside if beside else ()) for reason in one.refused],
        scores=anchor.scores,
        how=how,
        designs=designs(how) if how else [],
        designs_words=DESIGNS,
        assumed=ASSUMED,
        runs=beside.runs if beside else (),
        label=NOTICE,
    )
