"""What a run would do and take, counted before it is done; work that many configurations share."""
