"""Alerts in the store: each state begins once, is told, and only then gives way to the next."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from msgspec import structs

from leasehold.model.alerts import Alert, Judged
from leasehold.model.values import WorkerInfo
from tests.conformance.kit import WORKER, pass_time, settle, start_one

if TYPE_CHECKING:
    from leasehold.store.base import Store

HOUR = 3_600.0
ABOVE = Judged(
    name="depth",
    subject="mail",
    level="warning",
    value=120,
    bound=100,
    is_above=True,
    is_below=False,
)
BELOW = structs.replace(ABOVE, value=3, is_above=False, is_below=True)


def tell(store: Store) -> list[str]:
    """Take the news and settle it as told to the log; says what it was."""
    news = store.take_alert_news(seconds=60)
    for each in news:
        assert store.settle_alert_news(each, sent=["log"], is_told=True)
    return [each.state for each in news]


def only(store: Store) -> Alert:
    (found,) = store.alerts()
    return found


def test_an_alert_fires_once_and_keeps_when_it_began(store: Store) -> None:
    store.note_alerts([ABOVE])
    first = only(store)
    assert (first.name, first.subject, first.state) == ("depth", "mail", "firing")
    assert (first.value, first.bound, first.level) == (120, 100, "warning")
    assert tell(store) == ["firing"]
    pass_time(store, 60)
    store.note_alerts([structs.replace(ABOVE, value=150)])
    assert tell(store) == []
    later = only(store)
    assert (later.value, later.since) == (150, first.since)
    assert later.seen_at > first.seen_at


def test_what_was_seen_before_an_alert_changed_does_not_change_it_back(store: Store) -> None:
    before = store.moment()
    store.note_alerts([ABOVE])
    assert tell(store) == ["firing"]
    store.note_alerts([structs.replace(BELOW, seen_at=before)])
    assert only(store).state == "firing"
    between = store.moment()
    store.note_alerts([structs.replace(BELOW, seen_at=between)])
    assert tell(store) == ["clear"]
    store.note_alerts([structs.replace(ABOVE, seen_at=between)])
    assert (only(store).state, only(store).value, tell(store)) == ("clear", 3, [])
    store.note_alerts([structs.replace(ABOVE, seen_at=store.moment())])
    assert tell(store) == ["firing"]


def test_many_evaluators_at_once_fire_it_once_and_one_takes_the_news(store: Store) -> None:
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: store.note_alerts([ABOVE]), range(12)))
        taken = list(pool.map(lambda _: store.take_alert_news(seconds=60), range(12)))
    assert sum(len(each) for each in taken) == 1


def test_it_clears_once_and_may_fire_again(store: Store) -> None:
    store.note_alerts([ABOVE])
    assert tell(store) == ["firing"]
    store.note_alerts([BELOW])
    store.note_alerts([BELOW])
    assert only(store).state == "clear"
    assert only(store).value == 3
    assert tell(store) == ["clear"]
    store.note_alerts([ABOVE])
    assert tell(store) == ["firing"]


def test_what_was_not_told_yet_is_told_before_the_next_state_begins(store: Store) -> None:
    store.note_alerts([ABOVE])
    store.note_alerts([BELOW])
    assert tell(store) == ["firing"]
    store.note_alerts([BELOW])
    store.note_alerts([ABOVE])
    assert tell(store) == ["clear"]
    store.note_alerts([ABOVE])
    assert tell(store) == ["firing"]


def test_clearing_what_never_fired_is_nothing(store: Store) -> None:
    store.note_alerts([BELOW])
    assert store.alerts() == []


def test_between_both_limits_nothing_changes(store: Store) -> None:
    store.note_alerts([ABOVE])
    tell(store)
    store.note_alerts([structs.replace(ABOVE, value=90, is_above=False)])
    assert only(store).is_firing
    assert tell(store) == []


def test_news_of_one_who_died_is_taken_by_another_after_a_while(store: Store) -> None:
    store.note_alerts([ABOVE])
    assert len(store.take_alert_news(seconds=60)) == 1
    assert store.take_alert_news(seconds=60) == []
    pass_time(store, 61)
    (again,) = store.take_alert_news(seconds=60)
    assert again.tries == 2


def test_sinks_that_were_told_are_remembered_until_all_were(store: Store) -> None:
    store.note_alerts([ABOVE])
    (news,) = store.take_alert_news(seconds=60)
    assert store.settle_alert_news(news, sent=["log"], is_told=False, again_seconds=30)
    assert store.take_alert_news(seconds=60) == []
    pass_time(store, 31)
    (news,) = store.take_alert_news(seconds=60)
    assert news.sent == ("log",)
    assert store.settle_alert_news(news, sent=["log", "ops"], is_told=True)
    assert not store.settle_alert_news(news, sent=["log", "ops"], is_told=True)
    assert only(store).told_at is not None


def test_news_that_is_out_of_date_settles_nothing(store: Store) -> None:
    store.note_alerts([ABOVE])
    (old,) = store.take_alert_news(seconds=60)
    store.settle_alert_news(old, sent=[], is_told=True)
    pass_time(store, 1)
    store.note_alerts([BELOW])
    assert not store.settle_alert_news(old, sent=[], is_told=True)
    assert tell(store) == ["clear"]


def test_it_is_told_again_when_it_was_told_long_ago(store: Store) -> None:
    store.note_alerts([ABOVE])
    tell(store)
    assert store.remind_alerts("depth", seconds=HOUR) == 0
    pass_time(store, HOUR + 1)
    assert store.remind_alerts("dead", seconds=HOUR) == 0
    assert store.remind_alerts("depth", seconds=HOUR) == 1
    assert store.remind_alerts("depth", seconds=HOUR) == 0
    assert tell(store) == ["firing"]
    assert only(store).reminders == 1


def test_a_muted_rule_tells_nobody_until_its_time_is_over(store: Store) -> None:
    mute = store.mute_alert("depth", seconds=HOUR, by="ada")
    assert store.alert_mutes() == [mute]
    store.note_alerts([ABOVE])
    assert tell(store) == []
    assert only(store).muted_until == mute.until
    pass_time(store, HOUR + 1)
    assert store.alert_mutes() == []
    assert tell(store) == ["firing"]


def test_what_fired_and_cleared_while_it_was_muted_is_never_told(store: Store) -> None:
    store.mute_alert("depth", seconds=HOUR, by=None)
    store.note_alerts([ABOVE])
    store.note_alerts([BELOW])
    assert only(store).state == "clear"
    assert store.unmute_alert("depth")
    assert not store.unmute_alert("depth")
    assert tell(store) == []
    store.note_alerts([ABOVE])
    assert tell(store) == ["firing"]


def test_one_rules_mute_is_not_anothers(store: Store) -> None:
    store.mute_alert("dead", seconds=HOUR, by=None)
    store.note_alerts([ABOVE, structs.replace(ABOVE, name="dead", subject="")])
    assert tell(store) == ["firing"]


def test_what_cleared_a_week_ago_is_forgotten(store: Store) -> None:
    store.note_alerts([ABOVE])
    tell(store)
    store.note_alerts([BELOW])
    tell(store)
    pass_time(store, 8 * 24 * HOUR)
    store.note_alerts([BELOW])
    assert store.alerts() == []


def test_those_that_fire_come_first_then_the_newest(store: Store) -> None:
    store.note_alerts([ABOVE])
    tell(store)
    pass_time(store, 1)
    store.note_alerts([BELOW])
    store.note_alerts([structs.replace(ABOVE, subject="old")])
    pass_time(store, 1)
    store.note_alerts([structs.replace(ABOVE, subject="new")])
    assert [each.subject for each in store.alerts()] == ["new", "old", "mail"]


def test_jobs_that_died_lately_are_counted_by_queue_up_to_a_limit(store: Store) -> None:
    settle(store, start_one(store, queue="mail"), "dead", error="old")
    pass_time(store, 2 * HOUR)
    for queue in ("mail", "mail", "bulk"):
        settle(store, start_one(store, queue=queue), "dead", error="new")
    settle(store, start_one(store, queue="mail"), "succeeded")
    assert store.died(within_seconds=HOUR, limit=100) == {"bulk": 1, "mail": 2}
    assert store.died(within_seconds=3 * HOUR, limit=100) == {"bulk": 1, "mail": 3}
    assert sum(store.died(within_seconds=3 * HOUR, limit=2).values()) == 2


def test_silence_counts_from_the_worker_that_was_seen_last(store: Store) -> None:
    info = WorkerInfo(id=WORKER, name="one", queues=("q",), kinds=(), slots=1, version="1")
    store.register(info, [])
    assert store.silent_seconds() < 30
    pass_time(store, HOUR)
    assert HOUR <= store.silent_seconds() < HOUR + 30
    store.beat(WORKER, running=0)
    assert store.silent_seconds() < 30
    pass_time(store, HOUR)
    store.farewell(WORKER)  # one that ended as it should was there until then
    assert store.silent_seconds() < 30
