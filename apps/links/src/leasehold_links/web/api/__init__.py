"""The API for programs: what pages do, as JSON."""
