"""A spreadsheet of questions, each with its right pages and perhaps the sentence that answers."""
