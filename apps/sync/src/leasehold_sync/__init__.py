"""SaaS data that stays in step, by workers that may be killed at any moment."""
