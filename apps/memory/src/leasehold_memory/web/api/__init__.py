"""What programs call."""
