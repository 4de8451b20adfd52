"""Why the winner wins: what parameters do, where it matters, what could change the choice."""
