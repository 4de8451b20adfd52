"""Why the winner wins: effects, curves and slices of a recorded study."""
