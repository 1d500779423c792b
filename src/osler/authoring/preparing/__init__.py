"""Preparing a case for teaching: Socratic steps, sibling questions, a patient's script; all checked."""
