"""What the local model understands: rules of Japanese and of English, and nothing learned.

It hears names, likes, places, work, birthdays, plans and feelings, which is enough to see what a
memory is made of. It has no state: the same words always have the same answer.
"""

from leasehold_memory.servers.mind.answering import answer
from leasehold_memory.servers.mind.replying import reply_to

__all__ = ["answer", "reply_to"]
