"""A companion that chats at once and remembers afterwards, in jobs beside its memory."""
