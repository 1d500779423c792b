"""Words stay words: what is printed is what was meant."""

from __future__ import annotations

import pytest

from osler.cli.output import out, say


def test_names_between_colons_are_no_pictures(capsys: pytest.CaptureFixture[str]) -> None:
    say("write generated:100:7, not generated:x:1")
    out.print("generated:100:7")
    shown = capsys.readouterr()
    assert shown.err == "write generated:100:7, not generated:x:1\n"
    assert shown.out == "generated:100:7\n"
