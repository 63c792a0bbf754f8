"""What is decided without asking anybody: no database, no network, no clock."""
