"""A guestbook: its page enqueues, its task writes, its schedule thanks."""
