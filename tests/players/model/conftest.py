"""The network is closed here too."""

from tests.models.conftest import network_closed

__all__ = ["network_closed"]
