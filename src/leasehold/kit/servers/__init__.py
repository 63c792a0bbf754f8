"""APIs of others, on this machine: what every local server has, whatever it shows.

A port, a clock that can be moved, a rate window, trouble that is said beforehand, and a memory of
what was asked. Tests and demos use them over real HTTP.
"""

from leasehold.kit.servers.controls import Controls, Seen
from leasehold.kit.servers.process import ServerProcess
from leasehold.kit.servers.server import LocalServer, Refused, take
from leasehold.kit.servers.trouble import Shape, Trouble
from leasehold.kit.servers.wire import Reply, Request

__all__ = [
    "Controls",
    "LocalServer",
    "Refused",
    "Reply",
    "Request",
    "Seen",
    "ServerProcess",
    "Shape",
    "Trouble",
    "take",
]
