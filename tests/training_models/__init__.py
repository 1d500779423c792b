"""Proofs with tiny models; they need the extra `train`, and are skipped without it: `make test-train`."""
