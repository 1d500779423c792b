"""The built-in patient, which several protocols seat: recall, weighing of questions, and wording."""
