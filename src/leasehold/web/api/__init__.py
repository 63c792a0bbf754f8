"""The routes for programs: JSON in and out, described by OpenAPI."""
