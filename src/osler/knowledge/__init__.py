"""WHAT BUILT-IN PLAYERS KNOW: formulary, topics, conditions and findings."""
