"""The studies' tests run over both databases, as the store's do."""

from tests.store.conftest import url as url
