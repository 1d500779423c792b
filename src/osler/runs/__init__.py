"""HOW MANY ARE PLAYED: runs begun, played, resumed, branched, judged and read back."""
