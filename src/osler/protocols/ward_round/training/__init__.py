"""The tutor as a trained seat: its states and targets, and what a target has to hold."""
