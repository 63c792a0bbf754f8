"""What the state machine draws from: few values each, so that operations meet on the same jobs."""

from __future__ import annotations

from hypothesis import strategies as st

from leasehold.model.ids import WorkerId
from leasehold.model.keys import Mode
from leasehold.model.lanes import Rule
from leasehold.model.states import State
from leasehold.model.values import Want, WorkerInfo

# All durations are whole units; a unit is far longer than a test, so that no comparison is close.
UNIT = 10_000.0
MOST_LIVE, MOST_EVER = 4, 12
KNOWN = ("plain", "fragile")
KINDS = (*KNOWN, "strange")
QUEUES = ("a", "b")
EVERYTHING = [Want(queue, 1000) for queue in QUEUES]
KEYS = ("host:x", "host:y")
UNIQUE_KEYS = ("one", "two")  # of which at most one job is live
MOST_OF_A_KEY = 2  # no limit is ever greater
HOSTS = Rule(name="host", running=MOST_OF_A_KEY)

SOMEBODY = WorkerInfo(id=WorkerId(1), name="w", queues=QUEUES, kinds=KNOWN, slots=1, version="1")
RETRIABLE = (State.FAILED, State.DEAD, State.CANCELLED)

picks = st.integers(0, 10_000)
chances = st.integers(0, 2**16 - 1)
some_picks = st.lists(picks, min_size=1, max_size=3)
workers = st.sampled_from([WorkerId(1), WorkerId(2)])
units = st.sampled_from([0, 1, 2])
suspicions = st.sampled_from([False, False, True])
narrowings = st.sampled_from([None, None, frozenset({"plain"}), frozenset({"fragile", "strange"})])
keys = st.sampled_from(KEYS)
unique_keys = st.sampled_from(UNIQUE_KEYS)
modes = st.sampled_from([Mode.REPLACE, Mode.SKIP, Mode.REPLACE])
pausable = st.sampled_from([*KEYS, *KEYS, *QUEUES])
orders = st.sampled_from([("a",), ("b",), ("a", "b"), ("b", "a")])
job_options = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["plain", "plain", "fragile", "strange"]),
        "queue": st.sampled_from(QUEUES),
        "priority": st.sampled_from([-1, 0, 0, 1]),
        "max_attempts": st.sampled_from([1, 2, 3]),
        "timeout_seconds": st.sampled_from([UNIT, 3 * UNIT]),
        "tenant": st.sampled_from(["", "acme"]),
        "delay_seconds": st.sampled_from([None, None, 0.0, UNIT, 2 * UNIT]),
        "lane": st.sampled_from([None, None, None, *KEYS]),
    }
)
OUTCOMES = ("succeeded", "failed", "failed", "snoozed", "released", "cancelled", "dead")
