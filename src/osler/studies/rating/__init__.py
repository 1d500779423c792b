"""Human rating of episodes: export of blinded sheets, import of ratings, and agreement with judges."""
