"""Learning from experience in runs: retrieval from a frozen memory, second attempts, write-back."""
