"""The learned match of orders in ordinary words to findings: what may never be given, whatever is likely."""

from __future__ import annotations

import pytest

from osler.protocols.consultation.players.examination import match_order
from osler.protocols.consultation.seats import FindingView

HELD = (
    FindingView(id="vitals", kind="examination", name="Vital signs", result="Pulse 80/min."),
    FindingView(id="heart", kind="examination", name="Cardiovascular examination", result="No murmur."),
    FindingView(id="ecg", kind="test", name="Electrocardiogram", result="Sinus rhythm."),
    FindingView(id="trop", kind="test", name="Troponin", result="4 ng/L."),
    FindingView(id="knee", kind="image", name="X-ray of the left knee", result="No fracture."),
)


@pytest.mark.parametrize(
    ("order", "brings"),
    [
        ("Troponin", {"trop"}),
        ("Put the stickers on and get me a heart tracing, please.", {"ecg"}),
        ("I'd like to listen to your heart.", {"heart"}),
        ("ECG and troponin please", {"ecg", "trop"}),
        ("No ECG, just the troponin please.", {"trop"}),
        ("Never mind the ECG. Troponin please.", {"trop"}),
    ],
)
def test_an_order_brings_what_is_ordered(order: str, brings: set[str]) -> None:
    assert set(match_order(order, HELD).findings) == brings


@pytest.mark.parametrize(
    "order",
    [
        "No ECG today.",
        "I don't want a troponin.",
        "Not an ECG then.",
        "Have you ever had an ECG?",
        "Your troponin was normal.",
        "We'll repeat the ECG next week if it still hurts.",
        "X-ray the right knee please.",
        "MRI of the left knee please.",
        "",
        "...",
    ],
)
def test_what_is_refused_asked_reported_or_another_brings_nothing(order: str) -> None:
    assert match_order(order, HELD).findings == ()
