"""Making a case ready to teach: Socratic steps, sibling questions, a patient's script; checked."""
