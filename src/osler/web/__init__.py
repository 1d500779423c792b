"""The browser: the server of `osler serve`, and the built front end it sends."""
