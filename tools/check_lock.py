"""Says whether requirements.lock satisfies pyproject.toml: offline, without what wrote it."""

import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
_EXTRAS = "optional-dependencies"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """One entry of the lock. A name may have several, told apart by their markers."""

    requirement: Requirement
    is_hashed: bool

    @property
    def version(self) -> str | None:
        match = re.fullmatch(r"==([^*,]+)", str(self.requirement.specifier))
        return match[1] if match else None


def main() -> int:
    projects = [
        tomllib.loads(path.read_text())
        for path in [ROOT / "pyproject.toml", *sorted(ROOT.glob("apps/*/pyproject.toml"))]
    ]
    lock = (ROOT / "requirements.lock").read_text()
    complaints = list(find_complaints(projects, lock))
    for complaint in complaints:
        print(f"requirements.lock: {complaint}", file=sys.stderr)
    if complaints:
        print("Run: make lock", file=sys.stderr)
        return 1
    print("requirements.lock satisfies pyproject.toml")
    return 0


def find_complaints(projects: list[dict[str, Any]], lock: str) -> Iterator[str]:
    pins: dict[str, list[Pin]] = defaultdict(list)
    # An index or an address, even in a comment, would tie everyone to one machine's registry.
    yield from (f"names an address: {line}" for line in lock.splitlines() if "://" in line)
    for line in join_lines(lock):
        if line.startswith("-"):
            yield f"holds an option: {line}"
            continue
        try:
            pin = read_pin(line)
        except InvalidRequirement as error:
            yield f"cannot be read: {error}"
            continue
        pins[canonicalize_name(pin.requirement.name)].append(pin)
        yield from judge_pin(pin)
    wanted = [each for project in projects for each in wanted_requirements(project)]
    for origin, requirement in wanted:
        for complaint in judge_requirement(requirement, pins[canonicalize_name(requirement.name)]):
            yield f"{complaint} ({origin})"


def join_lines(lock: str) -> Iterator[str]:
    """Yield one line per entry: continued lines joined, comments and blank lines left out."""
    joined = re.sub(r"\\\n\s*", "", re.sub(r"^\s*#.*\n?", "", lock, flags=re.MULTILINE))
    yield from (line.strip() for line in joined.splitlines() if line.strip())


def read_pin(line: str) -> Pin:
    requirement, *hashes = line.split("--hash=sha256:")
    return Pin(requirement=Requirement(requirement.strip()), is_hashed=bool(hashes))


def judge_pin(pin: Pin) -> Iterator[str]:
    if pin.version is None:
        yield f"does not pin one version: {pin.requirement}"
    if not pin.is_hashed:
        yield f"has no hash for {pin.requirement}"


def wanted_requirements(project: dict[str, Any]) -> Iterator[tuple[str, Requirement]]:
    """Yield what the lock must hold, and where it is asked for."""
    metadata = project["project"]
    tables = {
        "build-system": project["build-system"]["requires"],
        "dependencies": metadata["dependencies"],
        **{f"extra {name}": each for name, each in metadata.get(_EXTRAS, {}).items()},
        **{f"group {name}": each for name, each in project.get("dependency-groups", {}).items()},
    }
    for origin, requirements in tables.items():
        for text in requirements:
            requirement = Requirement(text)
            if not requirement.name.startswith("leasehold"):
                yield f"{origin} of {metadata['name']}", requirement


def judge_requirement(wanted: Requirement, pins: list[Pin]) -> Iterator[str]:
    if not pins:
        yield f"lacks {wanted}"
    for pin in pins:
        if pin.version and not wanted.specifier.contains(pin.version, prereleases=True):
            yield f"pins {pin.requirement.name} {pin.version}, which does not satisfy {wanted}"
    missing = wanted.extras - {extra for pin in pins for extra in pin.requirement.extras}
    if pins and missing:
        yield f"lacks the extras {sorted(missing)} of {wanted}"


if __name__ == "__main__":
    sys.exit(main())
