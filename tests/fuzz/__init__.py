"""Malformed files, made from valid ones of every kind, given to every command that takes a file."""
