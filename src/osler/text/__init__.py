"""READING WORDS: phrases, negation, findings and acts in text, and text that is hostile."""
