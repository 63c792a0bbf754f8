"""What the roles may do with each table: the least that their work needs.

Every table of the schema stands here: a test reads the catalog and fails for one that nobody has
thought of. docs/guides/tenancy.md shows the same.
"""

from __future__ import annotations

from typing import Final

ALL = "SELECT, INSERT, UPDATE, DELETE"
# Locking a row needs the right to update some column of it: WITH CHECK lets this one stay as it is.
LOCK = "UPDATE (tenant)"

# What belongs to tenants: seen and written through a policy, by the row's tenant.
APP: Final[dict[str, str]] = {
    "job": f"SELECT, INSERT, DELETE, {LOCK}",
    "ready": f"SELECT, INSERT, DELETE, {LOCK}",
    "scheduled": f"SELECT, INSERT, DELETE, UPDATE (run_at), {LOCK}",
    "parked": f"SELECT, INSERT, DELETE, {LOCK}",
    "waiting": f"SELECT, INSERT, DELETE, UPDATE (stage), {LOCK}",
    "lease": "SELECT, UPDATE (cancel_requested, cancelled_by)",
    "outcome": "SELECT, INSERT, DELETE",
    "callback": "SELECT, INSERT, DELETE",
    "dependent": f"SELECT, INSERT, DELETE, {LOCK}",
    "dependency": "SELECT, INSERT, DELETE",
    "checkpoint": "SELECT, DELETE",
    "step": "SELECT, DELETE",
    "key": ALL,
    "batch": "SELECT, INSERT, UPDATE",
    "schedule": ALL,
    "audit": "SELECT, INSERT",
    "credential": ALL,
    "throttle": ALL,  # what a tenant says of its own keys; limits of others are others' rows
    # … and what all have in common: it says nothing of anybody.
    "task": "SELECT",
    "migration": "SELECT",
    "move": "SELECT",
    # A view asks for the names of workers; no policy lets tenants see a row.
    "worker": "SELECT (id, name)",
}
# Without a tenant's rows and without a policy: what all may read, if they may at all.
OPEN: Final = frozenset({"task", "migration", "move"})
# Workers, and people who use their role, do all, but for these.
WORKER: Final[dict[str, str]] = {
    "migration": "SELECT",
    "move": "SELECT",
    "turnstile": "SELECT, UPDATE",
    "audit": "SELECT, INSERT",  # pruned by who may migrate
}
# What tenants have no right to: operators' settings, the fleet, what is counted over all tenants.
NOT_FOR_TENANTS: Final = frozenset(
    {
        *("bucket", "charge", "turnstile", "share", "queue", "quota"),
        *("retention", "duty", "statistic", "depth", "alert", "alert_mute"),
        *("token", "session"),
    }
)
VIEWS: Final = frozenset({"record", "jobs", "states", "need", "batches"})
# Functions run with the rights of who calls them, so they give no more; but for the trigger's, and
# for admit and lock_quota, which let a tenant count against its own quotas and no other's.
# These are the workers' all the same: tenants have nothing to do with them.
WORKER_FUNCTIONS: Final = frozenset(
    {
        *(
            "claim_lanes",
            "claim_lines",
            "set_aside",
            "lock_keys",
            "all_taken",
            "lane_states",
            "said_of_tenants",
            "queue_room",
            "mark_gate",
            "mark_holder",
            "hand_over",
        ),
        *("tenant_room", "hold_tenants"),
        *("claim_next", "claimable", "take_first", "promote_due"),
        *("save", "settle", "erase", "erase_ended", "living", "is_wanting"),
        *("past_their_time", "kept_seconds", "prune_horizon"),
        *("prune_jobs", "prune_batches", "prune_keys"),
        *(
            "keep_apart",
            "keep_rows_apart",
            "keep_audit",
            "refuse_moved",
            "microseconds_of",
            "moment_of",
        ),
    }
)
# Rows in which a tenant names jobs, batches or callbacks: a trigger looks whose they are. One by
# one, or, where a tenant adds many that each belong to a job and can't change them, all at once.
KEPT_APART: Final = frozenset({"job", "key", "batch", "schedule"})
ROWS_KEPT_APART: Final = frozenset(
    {
        *("ready", "scheduled", "parked", "waiting", "outcome"),
        *("callback", "dependent", "dependency"),
    }
)
