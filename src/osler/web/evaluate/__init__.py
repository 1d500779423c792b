"""Evaluate: runs, episodes, traces, comparisons and reports."""
