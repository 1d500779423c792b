"""Reading words: phrases, negation, topics, findings and acts in text; and text that is hostile."""
