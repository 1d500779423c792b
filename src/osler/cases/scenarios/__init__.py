"""Standardized-patient scenarios: the model of their truth in states; their packets, files and linters."""
