"""Personas: the speaking manners of the built-in patient, and libraries of patients and students."""

from osler.cases.personas.manners import PERSONAS, persona

__all__ = ["PERSONAS", "persona"]
