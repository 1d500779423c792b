"""The result of one check of `osler check`."""

from __future__ import annotations

from osler.core.events import Frozen


class Check(Frozen):
    """The result of one check: the finding in plain words, and the fix where it is not ok."""

    name: str
    ok: bool
    what: str
    mend: str = ""
