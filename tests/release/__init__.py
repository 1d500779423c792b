"""What is released, tried as a stranger would: `make test-wheel` builds it and runs these."""
