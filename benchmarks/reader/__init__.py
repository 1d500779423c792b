"""Training of the built-in patient's reader on labelled lines: the sentence encoder, the question bank and
the weights of its confidence."""
