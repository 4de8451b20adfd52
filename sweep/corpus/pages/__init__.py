"""Pages of people's own (Markdown, HTML, plain text) as documents: text, title, metadata."""
