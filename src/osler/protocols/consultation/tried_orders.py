"""The built-in examination service tried on orders outside a consultation."""

from __future__ import annotations

from osler.cases.model import Case
from osler.protocols.consultation.orders import NO_SUCH, WHICH
from osler.protocols.consultation.players.examination import answers, match_order
from osler.protocols.consultation.views import examination_view
from osler.text.order_reading import names_category


def answered(case: Case, said: str) -> dict[str, object]:
    """The built-in examination service's reading of an order in a doctor's words, outside a consultation.

    `orders`: the canonical names of the tests meant. `results`: those that the case holds, with its own name,
    source and text. `asks_back`: the service's words for an order that is unclear or unknown, or `None`.
    """
    views = examination_view(case).findings
    reply, meant = match_order(said, views), answers(said, views)
    texts = {finding.id: finding for finding in views}
    sources = {finding.id: finding.source for finding in case.findings}
    unclear = reply.match_type == "fuzzy" or any(map(names_category, reply.unclear))
    nothing = reply.unclear or not (reply.findings or reply.unheld)
    return {
        "orders": list(dict.fromkeys(one.name for one in meant)),
        "results": [
            {"order": one.name, "found": texts[id].name, "source": sources.get(id), "text": texts[id].result}
            for one in meant
            for id in one.findings
        ],
        "asks_back": WHICH if unclear else NO_SUCH if nothing else None,
    }
