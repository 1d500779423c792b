"""Data sets built from stored encounters."""
