"""Chats: answers at once, by one call of the model, and stores what was said with its jobs."""

from leasehold_memory.chatting.chat import chat
from leasehold_memory.chatting.events import Done, Event, Failed, Token
from leasehold_memory.chatting.wanted import Wanted

__all__ = ["Done", "Event", "Failed", "Token", "Wanted", "chat"]
