"""What the application keeps, in the queue's database: SQLite or PostgreSQL."""
