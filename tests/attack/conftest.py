from tests.web.conftest import sources as sources
