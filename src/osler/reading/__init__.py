"""Reading: what a sentence means, as a vector, by a small sentence encoder that runs on numpy alone."""
