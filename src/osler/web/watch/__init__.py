"""Watch: the log of an episode as each seat may read it, live or afterwards."""
