"""What every protocol has in common, and names none: its value, configuration, episode and registry."""
