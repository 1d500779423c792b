"""Tests in a real browser against a real server (`make test-web`); `make test` needs neither."""
