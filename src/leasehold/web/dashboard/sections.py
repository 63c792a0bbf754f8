"""Views and actions by their paths."""

from __future__ import annotations

from collections.abc import Callable

from starlette.routing import compile_path

from leasehold.model.access import Right
from leasehold.web.access.rights import Needs
from leasehold.web.dashboard.looks import Action, View


class Section:
    """Some pages and what can be done on them.

    A page is for those who may read, an action for those who may operate, and neither is for people
    who are bound to a tenant unless it says so.
    """

    def __init__(self, *sections: Section) -> None:
        self.views: dict[str, View] = {}
        self.actions: dict[str, Action] = {}
        self.needs: dict[Callable[..., object], Needs] = {}
        for each in sections:
            self.views |= each.views
            self.actions |= each.actions
            self.needs |= each.needs
        self._patterns = [(compile_path(path)[0], view) for path, view in self.views.items()]

    def page(
        self, path: str, *, right: Right = Right.READ, for_tenants: bool = False
    ) -> Callable[[View], View]:
        """Show this at a path."""

        def register(view: View) -> View:
            self.views[path] = view
            self.needs[view] = Needs(right, for_tenants)
            return view

        return register

    def action(
        self, path: str, *, right: Right = Right.OPERATE, for_tenants: bool = False
    ) -> Callable[[Action], Action]:
        """Do this when a form is sent there."""

        def register(action: Action) -> Action:
            self.actions[path] = action
            self.needs[action] = Needs(right, for_tenants)
            return action

        return register

    def find(self, path: str) -> tuple[View, dict[str, str]] | None:
        """Find what is shown at a path; only in a section that was made of others."""
        for pattern, view in self._patterns:
            if match := pattern.match(path):
                return view, match.groupdict()
        return None
