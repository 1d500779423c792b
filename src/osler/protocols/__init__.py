"""The built-in protocols, each as a value: its events, its roles and its scoring."""
