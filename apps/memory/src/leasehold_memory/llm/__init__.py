"""Asking a model: any server that speaks as OpenAI's does, and nothing of it is trusted."""

from leasehold_memory.llm.llm import Llm
from leasehold_memory.llm.messages import Message, Prompt, Said
from leasehold_memory.llm.reasons import BadReason
from leasehold_memory.llm.trailer import Parted, Trailer

__all__ = ["BadReason", "Llm", "Message", "Parted", "Prompt", "Said", "Trailer"]
