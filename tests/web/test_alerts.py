"""Alerts over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.alerting import AlertWatch, load_config

if TYPE_CHECKING:
    from leasehold.client import Client
    from tests.web.kit import Service


def test_what_fires_is_listed_and_muted(service: Service, client: Client) -> None:
    assert service.get("/api/alerts") == []
    for _ in range(101):
        service.enqueue()
    AlertWatch(client, load_config(None)).step()
    (alert,) = service.get("/api/alerts?firing=true")
    assert (alert["name"], alert["subject"], alert["state"]) == ("depth", "sums", "firing")
    assert alert["text"] == "queue sums has 101 jobs ready, more than 100"
    asked = {"duration": "2h", "by": "ada"}
    muted = service.ask("PUT", "/api/alerts/depth/mute", json=asked).json()
    assert (muted["name"], muted["set_by"]) == ("depth", "ada")
    assert service.get("/api/alerts")[0]["muted_until"] == muted["until"]
    assert service.get("/api/alerts/mutes") == [muted]
    assert service.ask("DELETE", "/api/alerts/depth/mute").json() == {"is_changed": True}
    assert service.ask("DELETE", "/api/alerts/depth/mute").json() == {"is_changed": False}


def test_a_rule_that_is_not_known_is_refused(service: Service) -> None:
    service.refused(422, "PUT", "/api/alerts/deep/mute", json={})
    service.refused(422, "PUT", "/api/alerts/depth/mute", json={"duration": "soon"})
