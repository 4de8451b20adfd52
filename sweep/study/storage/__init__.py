"""Where studies are recorded: SQLite or PostgreSQL, opened safely, waited for, locked."""
