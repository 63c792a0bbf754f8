"""Files in folders, each with the number of its last change: whoever reads on sees it again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import msgspec

ROOT = ""


class Node(msgspec.Struct, kw_only=True):
    """A file or a folder. What is deleted stays as a mark, for those who read changes."""

    id: str
    name: str
    parent: str | None
    is_folder: bool = False
    is_deleted: bool = False
    content: bytes = b""
    more: dict[str, str] = {}
    changed: int = 0  # the number of its last change of any kind
    revision: int = 0  # the number of its last change of content
    modified: float = 0.0


class Tree:
    """All that an account has. Names of ids are the API's own."""

    def __init__(self, prefix: str, root: str) -> None:
        self._prefix = prefix
        self._count = 0
        self.root = root
        self.nodes: dict[str, Node] = {}
        self._keep(Node(id=root, name=ROOT, parent=None, is_folder=True), 0.0)

    def put(self, path: str, content: bytes, now: float, more: dict[str, str]) -> Node:
        """Write a file: a new one, or a new revision of the one that has the path."""
        found = self.find(path)
        if found is None or found.is_folder:
            return self.add(path, content, now, more)
        found.content, found.more = content, more
        return self._keep(found, now, is_content=True)

    def add(self, path: str, content: bytes, now: float, more: dict[str, str]) -> Node:
        """Write a new file, whatever else has its name."""
        folder, _, name = path.rpartition("/")
        parent = self.make_folder(folder, now)
        node = Node(id=self._next_id(), name=name, parent=parent.id, content=content, more=more)
        return self._keep(node, now, is_content=True)

    def make_folder(self, path: str, now: float) -> Node:
        found = self.find(path)
        if found is not None:
            return found
        above, _, name = path.rpartition("/")
        parent = self.make_folder(above, now)
        return self._keep(
            Node(id=self._next_id(), name=name, parent=parent.id, is_folder=True), now
        )

    def rename(self, identifier: str, name: str, now: float) -> None:
        node = self.get(identifier)
        node.name = name
        self._keep(node, now)

    def move(self, identifier: str, folder: str, now: float) -> None:
        node = self.get(identifier)
        node.parent = self.make_folder(folder, now).id
        self._keep(node, now)

    def delete(self, identifier: str, now: float) -> None:
        for node in [*self.below(identifier), self.get(identifier)]:
            node.is_deleted = True
            self._keep(node, now)

    def get(self, identifier: str) -> Node:
        found = self.nodes.get(identifier)
        if found is None or found.is_deleted:
            raise ValueError(f"there is no {identifier!r}")
        return found

    def find(self, path: str) -> Node | None:
        """Return what has a path; letters may be large or small, as all three services have it."""
        node = self.nodes[self.root]
        for name in filter(None, path.split("/")):
            found = [each for each in self.children(node.id) if each.name.lower() == name.lower()]
            if not found:
                return None
            node = found[0]
        return node

    def children(self, identifier: str) -> Iterator[Node]:
        return (n for n in self.nodes.values() if n.parent == identifier and not n.is_deleted)

    def below(self, identifier: str) -> Iterator[Node]:
        for node in list(self.children(identifier)):
            yield node
            yield from self.below(node.id)

    def is_below(self, node: Node, folder: str) -> bool:
        above = node.parent
        while above is not None and above != folder:
            above = self.nodes[above].parent
        return above == folder

    def path_of(self, node: Node) -> str:
        """Return `/Folder/Name`, and nothing for the root."""
        if node.parent is None:
            return ROOT
        return f"{self.path_of(self.nodes[node.parent])}/{node.name}"

    def changes(self, after: int) -> list[Node]:
        """Return what has changed since, the oldest change first."""
        found = (node for node in self.nodes.values() if node.changed > after)
        return sorted(found, key=lambda node: node.changed)

    def _keep(self, node: Node, now: float, *, is_content: bool = False) -> Node:
        self._count += 1
        node.changed, node.modified = self._count, now
        if is_content:
            node.revision = self._count
        self.nodes[node.id] = node
        return node

    def _next_id(self) -> str:
        made = hashlib.sha256(f"{self._prefix}{self._count}".encode()).hexdigest()[:24]
        return f"{self._prefix}{made}"
