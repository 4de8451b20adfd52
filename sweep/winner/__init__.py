"""Stage 7 of 8, finished trials -> the configuration to use, with its uncertainty."""
