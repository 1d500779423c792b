"""Training of the built-in patient's question bank and confidence on labelled lines."""
