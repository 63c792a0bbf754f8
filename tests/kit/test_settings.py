"""What an operator says, in variables of the environment, to any application."""

from __future__ import annotations

import msgspec
import pytest

from leasehold.kit.errors import BadSetting
from leasehold.kit.settings import Lendable, read_settings

PREFIX = "PARCELS_"


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    token: str = ""
    parcels: int = 7
    is_open: bool = False


class Lenient(msgspec.Struct, frozen=True, kw_only=True):
    parcels: int = 7


def test_variables_are_read_by_their_prefix_and_the_rest_is_as_it_was_made() -> None:
    said = {
        "PARCELS_PARCELS": "3",
        "PARCELS_IS_OPEN": "true",
        "TOKEN": "no",
        "XPARCELS_TOKEN": "no",
    }
    assert read_settings(Settings, PREFIX, said) == Settings(parcels=3, is_open=True)


@pytest.mark.parametrize("name", ["PARCELS_PARCELS", "PARCELS_TOKNE", "PARCELS_IS_OPEN"])
def test_the_variable_that_is_wrong_is_named_and_its_value_is_not(name: str) -> None:
    with pytest.raises(BadSetting) as told:
        read_settings(Settings, PREFIX, {"PARCELS_TOKEN": "x", name: "swordfish"})
    assert told.value.variable == name
    assert "swordfish" not in str(told.value)
    assert "$" not in told.value.reason


def test_what_an_application_does_not_know_is_no_error_unless_it_says_so() -> None:
    assert read_settings(Lenient, PREFIX, {"PARCELS_OTHER": "x"}) == Lenient()


def test_the_last_loan_holds_and_each_ends_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Lendable(Lenient, PREFIX)
    monkeypatch.setenv("PARCELS_PARCELS", "1")
    assert settings() == Lenient(parcels=1)
    with settings.lending(Lenient(parcels=2)):
        with settings.lending(Lenient(parcels=3)) as lent:
            assert settings() is lent
        assert settings() == Lenient(parcels=2)
    monkeypatch.setenv("PARCELS_PARCELS", "4")
    assert settings() == Lenient(parcels=4), "the environment is read anew"
