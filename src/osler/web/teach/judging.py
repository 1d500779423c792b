"""Marks by a model: each sitting of a room is judged, once it has ended, by the models the room names."""

from __future__ import annotations

import logging
import threading
from typing import Final

from osler.errors import OslerError
from osler.runs.judging import JudgeOptions, judge_by_name
from osler.store.practice import PersonSitting
from osler.store.rooms import Rooms
from osler.web.house import House
from osler.web.teach.disclosure import MODEL
from osler.web.teach.room import opened

_LOG: Final = logging.getLogger("osler.web")


class ModelMarks:
    """Has sittings judged, one after the other, in a thread of their own."""

    def __init__(self, house: House) -> None:
        self._house = house

    def ended(self, taken: PersonSitting) -> None:
        """Have a sitting that has just ended judged; returns at once."""
        if taken.room:
            threading.Thread(target=self.judge, args=(taken,), name="marks", daemon=True).start()

    def judge(self, taken: PersonSitting) -> list[str]:
        """Have an ended sitting judged by each model of its room that has not done so. Returns, in words, why
        any of them could not."""
        store, failed = self._house.store, []
        row = Rooms(store).room(taken.room)
        for mark in opened(row).plan.marks if row else ():
            if mark.startswith(MODEL):
                options = JudgeOptions(mark, models=self._house.models, concurrency=1)
                try:
                    judge_by_name(store.info(taken.run), store, options)
                except OslerError as error:
                    _LOG.warning("%s could not mark a sitting: %s", mark, error)
                    failed.append(f"{mark} could not mark: {error}")
        return failed
