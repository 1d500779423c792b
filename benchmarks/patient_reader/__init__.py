"""How the built-in patient's question bank and confidence are made from labelled lines."""
