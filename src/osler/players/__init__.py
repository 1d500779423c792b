"""Players of any protocol: model, person, script, external program, plug-in, and wrappers around them."""
