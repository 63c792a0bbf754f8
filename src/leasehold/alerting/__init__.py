"""Watches a queue and tells people what is not as it should be, once for a whole fleet.

    watch (each process)  ──facts──>  rules  ──fire, clear──>  table `alert`  ──news──>  sinks

Any number of processes may watch: a state changes once, in the database, and is told by whoever
takes the news. It is written down as told only after its sinks have it, so a process that dies in
between loses nothing: another one tells it, perhaps again. At least once, then.
"""

from leasehold.alerting.config import AlertConfig, load_config, read_config
from leasehold.alerting.events import Event
from leasehold.alerting.sinks import Sink
from leasehold.alerting.watch import AlertWatch

__all__ = ["AlertConfig", "AlertWatch", "Event", "Sink", "load_config", "read_config"]
