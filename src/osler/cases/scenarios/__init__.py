"""Standardized-patient scenarios: what is true in them, in states; their packets, files and checks."""
