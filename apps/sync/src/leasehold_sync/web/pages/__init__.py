"""What people see, below /ui."""
