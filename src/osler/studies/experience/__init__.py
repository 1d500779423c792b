"""What doctors learn from in runs: a frozen memory to look into, second attempts, write-back."""
