"""Unjudged documents: what they leave open, what to label, scoring again under new labels."""
