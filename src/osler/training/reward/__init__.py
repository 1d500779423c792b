"""Rewards of a trained seat's turns: scores by items and axes, a veto, and no reward where a judge failed."""
