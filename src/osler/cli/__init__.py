"""WHAT IS TYPED: the commands of `osler`, each group imported when it is called."""
