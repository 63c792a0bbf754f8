"""Pages for people: HTML that works without a script, and lives with one."""
