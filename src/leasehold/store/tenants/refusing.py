"""What a tenant's store does not do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from leasehold.errors import NotForTenants

if TYPE_CHECKING:
    from collections.abc import Callable


def refuse(operation: str) -> Callable[..., NoReturn]:
    """Make a method that says so, whatever it is given."""

    def refused(*_given: Any, **_named: Any) -> NoReturn:
        raise NotForTenants(operation)

    return refused


class NotForTenantsStore:
    """The operations that concern all tenants, or that only workers need, each by its name."""

    # -- the tables, and moving them
    migrate: Any = refuse("migrate")
    set_up_roles: Any = refuse("set_up_roles")
    identity: Any = refuse("identity")
    move_mark: Any = refuse("move_mark")
    close_for_move: Any = refuse("close_for_move")
    end_move: Any = refuse("end_move")
    open_after_move: Any = refuse("open_after_move")
    count_rows: Any = refuse("count_rows")
    dump: Any = refuse("dump")
    loaded: Any = refuse("loaded")
    load: Any = refuse("load")
    fence: Any = refuse("fence")
    raise_fence: Any = refuse("raise_fence")
    vitals: Any = refuse("vitals")
    examine: Any = refuse("examine")
    connections: Any = refuse("connections")
    # -- what workers do
    dedicated: Any = refuse("dedicated")
    claim: Any = refuse("claim")
    claim_parked: Any = refuse("claim_parked")
    look_lanes: Any = refuse("look_lanes")
    claim_lanes: Any = refuse("claim_lanes")
    pause_lane: Any = refuse("pause_lane")
    renew: Any = refuse("renew")
    cancel_requests: Any = refuse("cancel_requests")
    finish: Any = refuse("finish")
    hold_slot: Any = refuse("hold_slot")
    release_unknown: Any = refuse("release_unknown")
    transaction: Any = refuse("transaction")
    async_transaction: Any = refuse("async_transaction")
    save: Any = refuse("save")
    save_script: Any = refuse("save_script")
    saving: Any = refuse("saving")
    async_saving: Any = refuse("async_saving")
    survey: Any = refuse("survey")
    promote: Any = refuse("promote")
    hand_over: Any = refuse("hand_over")
    lapsed: Any = refuse("lapsed")
    reclaim: Any = refuse("reclaim")
    register: Any = refuse("register")
    beat: Any = refuse("beat")
    farewell: Any = refuse("farewell")
    workers: Any = refuse("workers")
    tend: Any = refuse("tend")
    waker: Any = refuse("waker")
    sweep: Any = refuse("sweep")
    release_dependents: Any = refuse("release_dependents")
    sweep_dependents: Any = refuse("sweep_dependents")
    due_schedules: Any = refuse("due_schedules")
    durations: Any = refuse("durations")
    note_durations: Any = refuse("note_durations")
    # -- upkeep
    retentions: Any = refuse("retentions")
    set_retention: Any = refuse("set_retention")
    reset_retention: Any = refuse("reset_retention")
    prune: Any = refuse("prune")
    take_duty: Any = refuse("take_duty")
    renew_duty: Any = refuse("renew_duty")
    duty_cursor: Any = refuse("duty_cursor")
    sealed_page: Any = refuse("sealed_page")
    reseal: Any = refuse("reseal")
    # -- statistics, which say nothing of tenants, and alerts
    add_statistics: Any = refuse("add_statistics")
    statistics: Any = refuse("statistics")
    statistic_series: Any = refuse("statistic_series")
    totals: Any = refuse("totals")
    labels: Any = refuse("labels")
    count_depths: Any = refuse("count_depths")
    sample_depths: Any = refuse("sample_depths")
    last_depths: Any = refuse("last_depths")
    depth_series: Any = refuse("depth_series")
    fold_statistics: Any = refuse("fold_statistics")
    unhappy: Any = refuse("unhappy")
    died: Any = refuse("died")
    silent_seconds: Any = refuse("silent_seconds")
    note_alerts: Any = refuse("note_alerts")
    remind_alerts: Any = refuse("remind_alerts")
    take_alert_news: Any = refuse("take_alert_news")
    settle_alert_news: Any = refuse("settle_alert_news")
    alerts: Any = refuse("alerts")
    mute_alert: Any = refuse("mute_alert")
    unmute_alert: Any = refuse("unmute_alert")
    alert_mutes: Any = refuse("alert_mutes")
    # -- who may use the service
    add_token: Any = refuse("add_token")
    tokens: Any = refuse("tokens")
    has_tokens: Any = refuse("has_tokens")
    known_token: Any = refuse("known_token")
    revoke_token: Any = refuse("revoke_token")
    note_token_use: Any = refuse("note_token_use")
    open_session: Any = refuse("open_session")
    session: Any = refuse("session")
    close_session: Any = refuse("close_session")
    prune_audit: Any = refuse("prune_audit")
    # -- shares and queues, which tenants have in common, and what is used up of a rate
    refill_throttle: Any = refuse("refill_throttle")
    shares: Any = refuse("shares")
    change_share: Any = refuse("change_share")
    quotas: Any = refuse("quotas")
    set_quota: Any = refuse("set_quota")
    remove_quota: Any = refuse("remove_quota")
    queues: Any = refuse("queues")
    limit_queue: Any = refuse("limit_queue")
    pause_queue: Any = refuse("pause_queue")
    resume_queue: Any = refuse("resume_queue")
    set_aging: Any = refuse("set_aging")
    parked_kinds: Any = refuse("parked_kinds")
