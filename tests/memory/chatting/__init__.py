"""Chats: what is replied, and what is stored of it."""
