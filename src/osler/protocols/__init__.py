"""The protocols that come with Osler, each as a value: what can happen, who takes part, how it is scored."""
