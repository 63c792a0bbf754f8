"""Views and actions by their paths."""

from __future__ import annotations

from collections.abc import Callable

from starlette.routing import compile_path

from leasehold.web.dashboard.looks import Action, View


class Section:
    """Some pages and what can be done on them."""

    def __init__(self, *sections: Section) -> None:
        self.views: dict[str, View] = {}
        self.actions: dict[str, Action] = {}
        for each in sections:
            self.views |= each.views
            self.actions |= each.actions
        self._patterns = [(compile_path(path)[0], view) for path, view in self.views.items()]

    def page(self, path: str) -> Callable[[View], View]:
        """Show this at a path."""

        def register(view: View) -> View:
            self.views[path] = view
            return view

        return register

    def action(self, path: str) -> Callable[[Action], Action]:
        """Do this when a form is sent there."""

        def register(action: Action) -> Action:
            self.actions[path] = action
            return action

        return register

    def find(self, path: str) -> tuple[View, dict[str, str]] | None:
        """Find what is shown at a path; only in a section that was made of others."""
        for pattern, view in self._patterns:
            if match := pattern.match(path):
                return view, match.groupdict()
        return None
