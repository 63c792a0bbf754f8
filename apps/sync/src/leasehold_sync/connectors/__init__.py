"""How sources are read: one module each, one interface, one HTTP reader."""
