"""The log on standard error: what `--log-level` lets through, one plain line each."""

from __future__ import annotations

import logging
from typing import Final, Literal

from osler.cli.output import err
from osler.text.hostile import safe

Level = Literal["debug", "info", "warning", "error"]
_LOGGER: Final = logging.getLogger("osler")


class _ToStandardError(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        # Through the console of the progress bar, so that neither breaks the other.
        line = f"{record.levelname.lower()}: {record.getMessage()}"
        err.print(safe(line).replace("\n", " "), markup=False, soft_wrap=True)


_HANDLER: Final = _ToStandardError()


def log_at(level: Level) -> None:
    """Log what is at least this serious."""
    _LOGGER.setLevel(level.upper())
    if _HANDLER not in _LOGGER.handlers:
        _LOGGER.addHandler(_HANDLER)
