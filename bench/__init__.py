"""Benchmarks. They measure, they assert nothing; figures only mean something side by side."""
