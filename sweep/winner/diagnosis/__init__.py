"""What is missed, which stage lost it first, and what to change."""
