"""Runs: begun, played, shared between processes, resumed, branched, judged again and read back."""
