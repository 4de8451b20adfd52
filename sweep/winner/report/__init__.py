"""The report of a study: records of what it says, laid out as HTML, Markdown or JSON."""
