"""Words of the application that need no database: kinds, tags, hashes, presets."""
