"""Summaries and capsules: what they are made of, and what never gets into them."""

from __future__ import annotations

from leasehold import testing
from leasehold_memory import tasks
from leasehold_memory.model.units import Sensitivity, UnitKind, UnitState
from leasehold_memory.web import correcting
from tests.memory.deriving.kit import World


def test_a_summary_keeps_its_text_and_all_that_the_model_said(world: World) -> None:
    world.say("I love ramen.", follows=False)
    world.run(tasks.bond_summary)
    payload = world.only(UnitKind.SUMMARY).payload
    assert payload["scope_key"] == "rolling:7d"
    assert payload["summary_json"].keys() == {"summary_text", "key_events", "bond_state"}
    assert payload["summary_json"]["summary_text"] == payload["summary_text"]


def test_a_week_ends_with_the_last_episode(world: World) -> None:
    for day in (0, 1, 7, 8):
        world.say(f"It is day {day}.", day=day, follows=False)
    world.run(tasks.bond_summary)
    assert world.only(UnitKind.SUMMARY).evidence == (3, 4)


def test_secrets_get_into_no_summary_and_no_capsule(world: World) -> None:
    world.say("My sister Emma likes jazz music.", follows=False)
    secret = world.say(
        "My sister Emma likes gambling music.", sensitivity=Sensitivity.SECRET, follows=False
    )
    for unit_id in (1, secret):
        world.run(tasks.extract_entities, unit_id)
    world.run(tasks.bond_summary)
    world.run(tasks.capsule_refresh)
    found = [*world.find(UnitKind.SUMMARY), *world.find(UnitKind.CAPSULE)]
    assert len(found) == 4  # the week, Emma, music, and the capsule
    assert {each.evidence for each in found} == {(1,)}
    assert "gambling" not in repr([each.payload for each in found])


def test_a_summary_is_as_private_as_its_sources(world: World) -> None:
    world.say("I love ramen.", follows=False)
    world.say("I was at the hospital.", sensitivity=Sensitivity.PRIVATE, follows=False)
    world.run(tasks.bond_summary)
    assert world.only(UnitKind.SUMMARY).sensitivity is Sensitivity.PRIVATE


def test_what_turns_out_to_be_a_secret_is_taken_out_of_what_it_was_summed_up_in(
    world: World,
) -> None:
    unit_id = world.say("Don't tell anybody: I love Emma.", follows=False)
    world.run(tasks.capsule_refresh)
    assert world.only(UnitKind.CAPSULE).state is UnitState.ACTIVE
    world.run(tasks.reflect_episode, unit_id)
    assert world.only(UnitKind.EPISODE).sensitivity is Sensitivity.SECRET
    assert world.only(UnitKind.CAPSULE).state is UnitState.RETRACTED


def test_nothing_is_summed_up_of_nothing(world: World) -> None:
    assert world.run(tasks.bond_summary).state == "succeeded"
    assert world.run(tasks.person_summary_refresh, 7).state == "succeeded"
    assert world.find(UnitKind.SUMMARY) == []
    assert world.server.asked() == 0


def test_a_scope_that_there_is_not_is_dead_at_once(world: World) -> None:
    job = world.run(tasks.bond_summary, "rolling:forever")
    assert (job.state, job.failures) == ("dead", 1)


def test_an_episode_that_comes_while_the_model_is_asked_is_taken_in(world: World) -> None:
    """The job that was skipped for it need not run."""
    world.say("I love ramen.", follows=False)
    asked = world.memory.models.llm().ask_json
    added: list[int] = []

    def meanwhile(*args: object, **options: object) -> object:
        if not added:
            added.append(world.say("I love tea.", day=1, follows=False))
            assert not world.client.enqueue(tasks.capsule_refresh).is_new
        return asked(*args, **options)  # type: ignore[arg-type] # as they were given

    setattr(world.memory.models.llm(), "ask_json", meanwhile)  # noqa: B010 - as attempts find it
    world.run(tasks.capsule_refresh)
    assert world.only(UnitKind.CAPSULE).evidence == (1, 2)
    assert world.only(UnitKind.CAPSULE).version == 1


def test_what_a_person_makes_a_secret_is_taken_out_of_what_it_was_summed_up_in(
    world: World,
) -> None:
    unit_id = world.say("I love Emma.")
    world.work()
    correcting.edit(world.memory, unit_id, {}, sensitivity=Sensitivity.SECRET)
    world.work()
    found = [*world.find(UnitKind.SUMMARY), *world.find(UnitKind.CAPSULE)]
    assert len(found) >= 2
    assert {each.state for each in found} == {UnitState.RETRACTED}
    assert world.only(UnitKind.FACT).sensitivity is Sensitivity.SECRET


def test_a_worker_that_has_lost_its_lease_writes_nothing(world: World) -> None:
    unit_id = world.say("I love ramen.", follows=False)
    asked = world.memory.models.llm().ask_json
    known: list[int] = []

    def lose_once(*args: object, **options: object) -> object:
        known.append(len(world.find(UnitKind.FACT)))
        if len(known) == 1:
            testing.advance(world.client, "1h")
            store = world.client.store
            store.reclaim([(each, 0.0) for each in store.lapsed(limit=10)])
        return asked(*args, **options)  # type: ignore[arg-type] # as they were given

    setattr(world.memory.models.llm(), "ask_json", lose_once)  # noqa: B010 - as attempts find it
    job = world.run(tasks.extract_facts, unit_id)
    assert known == [0, 0]
    assert job.state == "succeeded"
    assert world.only(UnitKind.FACT).attempt == 2
