"""One file per section of the report: material in, a section out; None where it says nothing."""
