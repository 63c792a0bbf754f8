"""Roles and row level security: `leasehold migrate --roles`.

Four roles, none a superuser, none that passes policies: the owner of all (no login), the migrator,
the worker and the app, which sees the rows of the tenant that its transaction names. All of it is
one transaction, and can be done again at any time: what is said is what it has changed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from psycopg import Rollback
from psycopg.sql import SQL, Identifier, Literal

from leasehold.errors import BadOption, StoreRefused
from leasehold.store.postgres import rights
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from psycopg.sql import Composable

    from leasehold.store.postgres.connection import Connection

PACKAGE = "leasehold.store.postgres"
DEFAULT_PREFIX = "leasehold_"
APP_POLICY, ALL_POLICY = "leasehold_app", "leasehold_all"
OF_TENANT = "(tenant = leasehold.tenant())"  # as the catalog has it
_PREFIX = re.compile(r"[a-z_][a-z0-9_]{0,39}")
_LOCK_TIMEOUT = "SET LOCAL lock_timeout = '2s'"
_SETS_ROLES = 160_000


class Roles(NamedTuple):
    """The names of the four."""

    owner: str
    migrator: str
    worker: str
    app: str


class Relation(NamedTuple):
    """A table or a view, as it stands."""

    name: str
    is_view: bool
    has_tenant: bool
    is_forced: bool
    is_watched: bool
    is_invokers: bool
    has_policy: bool  # for tenants, if it has their rows

    @property
    def is_unbound(self) -> bool:
        """Whether tenants could see of it what is others'."""
        if self.is_view:
            return not self.is_invokers
        if self.name in rights.OPEN:
            return False
        return not self.is_forced or (self.has_tenant and not self.has_policy)


def name_roles(prefix: str) -> Roles:
    """Name the roles of one installation: a server may have several."""
    if not _PREFIX.fullmatch(prefix):
        raise BadOption(f"role prefix: {prefix!r} is not a name in small letters, as 'leasehold_'")
    return Roles(*(prefix + each for each in Roles._fields))


def find_prefix(connection: Connection) -> str | None:
    """Return the prefix of the roles that this database was given; None: it has none."""
    found = connection.execute(load(PACKAGE, "app_role").encode(), prepare=False).fetchone()
    return None if found is None else str(found[0]).removesuffix("app")


def read_relations(connection: Connection) -> list[Relation]:
    """List the tables and views of the schema."""
    sql = load(PACKAGE, "relations").encode()
    return [Relation(*row) for row in connection.execute(sql, prepare=False)]


def set_up(connection: Connection, prefix: str, *, dry_run: bool = False) -> tuple[str, ...]:
    """Make roles, owners, rights and policies what they should be; says what it changed."""
    roles = name_roles(prefix)
    standing = find_prefix(connection)
    if standing not in {None, prefix}:
        raise StoreRefused(f"this database has roles with the prefix {standing!r}: use that one")
    with connection.transaction() as transaction:
        connection.execute(_LOCK_TIMEOUT, prepare=False)
        before = _facts(connection, prefix)
        _Setting(connection, roles).up()
        changed = _facts(connection, prefix) - before
        if dry_run:
            raise Rollback(transaction)
    return tuple(sorted(changed))


def _facts(connection: Connection, prefix: str) -> set[str]:
    sql = load(PACKAGE, "role_facts").encode()
    return {row[0] for row in connection.execute(sql, {"prefix": prefix}, prepare=False)}


class _Setting:
    """One transaction in which all is set up; what stands already is not touched."""

    def __init__(self, connection: Connection, roles: Roles) -> None:
        self._connection = connection
        self._roles = roles

    def up(self) -> None:
        self._make_roles()
        self._become_migrator()
        self._give_to_owner()
        self._run("SET LOCAL ROLE {}", Identifier(self._roles.owner))
        relations = read_relations(self._connection)
        self._grant(relations)
        self._secure(relations)
        self._run("RESET ROLE")

    def _make_roles(self) -> None:
        roles = self._roles
        for name in roles:
            if not self._value("SELECT count(*) FROM pg_roles WHERE rolname = %s", name):
                login = SQL("NOLOGIN" if name == roles.owner else "LOGIN")
                self._run(
                    "CREATE ROLE {} {} NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS",
                    Identifier(name),
                    login,
                )
        for member, role in ((roles.migrator, roles.owner), (roles.worker, roles.app)):
            if not self._value("SELECT pg_has_role(%s, %s, 'MEMBER')", member, role):
                self._run("GRANT {} TO {}", Identifier(role), Identifier(member))

    def _become_migrator(self) -> None:
        """Let whoever owned the tables so far go on migrating them; a superuser may anyway."""
        # From 16 on, who made a role is a member of it without being able to act as it.
        how = "SET" if self._connection.info.server_version >= _SETS_ROLES else "MEMBER"
        if not self._value("SELECT pg_has_role(current_user, %s, %s)", self._roles.owner, how):
            self._run("GRANT {} TO CURRENT_USER", Identifier(self._roles.migrator))

    def _give_to_owner(self) -> None:
        owner = Identifier(self._roles.owner)
        for thing, _ in self._ask("strangers", owner=self._roles.owner):
            self._run("ALTER {} OWNER TO {}", _sql(thing), owner)

    # -- rights ----------------------------------------------------------------------------------
    def _grant(self, relations: list[Relation]) -> None:
        """Take all rights away and give the right ones: in one transaction nobody notices."""
        worker, app = Identifier(self._roles.worker), Identifier(self._roles.app)
        both = SQL(", ").join((worker, app))
        for kind in ("TABLES", "SEQUENCES", "ROUTINES"):
            said = "REVOKE ALL ON ALL {} IN SCHEMA leasehold FROM PUBLIC, {}"
            self._run(said, SQL(kind), both)
        self._run("GRANT USAGE ON SCHEMA leasehold TO {}", both)
        self._run("GRANT EXECUTE ON ALL ROUTINES IN SCHEMA leasehold TO {}", worker)
        self._run("GRANT USAGE, SELECT, UPDATE ON SEQUENCE leasehold.fence TO {}", worker)
        for each in relations:
            to_all = "SELECT" if each.is_view else rights.WORKER.get(each.name, rights.ALL)
            self._allow(to_all, each.name, worker)
            of_app = rights.APP.get(each.name)
            if each.is_view:
                of_app = "SELECT" if each.name in rights.VIEWS else None
            if of_app is not None:
                self._allow(of_app, each.name, app)
        for name, routine in self._functions():
            if name not in rights.WORKER_FUNCTIONS:
                self._run("GRANT EXECUTE ON ROUTINE {} TO {}", _sql(routine), app)
        # For tables of later migrations: workers go on, tenants have nothing until it is run again.
        later = "ALTER DEFAULT PRIVILEGES IN SCHEMA leasehold GRANT {} ON {} TO {}"
        self._run(later, SQL(rights.ALL), SQL("TABLES"), worker)
        self._run(later, SQL("USAGE, SELECT, UPDATE"), SQL("SEQUENCES"), worker)
        self._run(later, SQL("EXECUTE"), SQL("ROUTINES"), worker)

    def _allow(self, what: str, table: str, role: Identifier) -> None:
        self._run("GRANT {} ON {} TO {}", _sql(what), Identifier("leasehold", table), role)

    def _functions(self) -> list[tuple[str, str]]:
        found = self._connection.execute(
            "SELECT proname, oid::regprocedure::text FROM pg_proc "
            "WHERE pronamespace = to_regnamespace('leasehold')",
            prepare=False,
        )
        return [(row[0], row[1]) for row in found]

    # -- policies --------------------------------------------------------------------------------
    def _secure(self, relations: list[Relation]) -> None:
        standing = self._policies()
        for each in relations:
            table = Identifier("leasehold", each.name)
            if each.is_view and not each.is_invokers:
                self._run("ALTER VIEW {} SET (security_invoker = true)", table)
            if each.is_view or each.name in rights.OPEN:
                continue
            if not each.is_forced:
                self._run("ALTER TABLE {} ENABLE ROW LEVEL SECURITY", table)
                self._run("ALTER TABLE {} FORCE ROW LEVEL SECURITY", table)
            for policy, said, roles in self._wanted(each):
                if standing.get((each.name, policy)) != (said, said, sorted(roles)):
                    self._put_policy(table, policy, said, roles)
            if not each.is_watched:
                self._watch(each.name, table)

    def _wanted(self, relation: Relation) -> Iterator[tuple[str, str, list[str]]]:
        owner, migrator, worker, app = self._roles
        yield ALL_POLICY, "true", [owner, migrator, worker]
        if relation.has_tenant:
            yield APP_POLICY, OF_TENANT, [app]

    def _policies(self) -> dict[tuple[str, str], tuple[str, str, list[str]]]:
        found = self._connection.execute(
            "SELECT tablename, policyname, qual, with_check, roles::text[] FROM pg_policies "
            "WHERE schemaname = 'leasehold'",
            prepare=False,
        )
        return {(row[0], row[1]): (row[2], row[3], sorted(row[4])) for row in found}

    def _put_policy(self, table: Identifier, policy: str, said: str, roles: list[str]) -> None:
        self._run("DROP POLICY IF EXISTS {} ON {}", Identifier(policy), table)
        self._run(
            "CREATE POLICY {} ON {} TO {} USING ({}) WITH CHECK ({})",
            Identifier(policy),
            table,
            SQL(", ").join(map(Identifier, roles)),
            _sql(said),
            _sql(said),
        )

    def _watch(self, name: str, table: Identifier) -> None:
        app = Literal(self._roles.app)
        if name in rights.ROWS_KEPT_APART:
            self._run(
                "CREATE TRIGGER leasehold_keep_apart AFTER INSERT ON {} "
                "REFERENCING NEW TABLE AS written FOR EACH STATEMENT WHEN (current_user = {}) "
                "EXECUTE FUNCTION leasehold.keep_rows_apart()",
                table,
                app,
            )
        elif name in rights.KEPT_APART:
            named = (
                "AND (NEW.batch IS NOT NULL OR NEW.needs IS NOT NULL OR NEW.on_end IS NOT NULL"
                " OR NEW.lane <> '')"
            )
            self._run(
                "CREATE TRIGGER leasehold_keep_apart AFTER INSERT OR UPDATE ON {} "
                "FOR EACH ROW WHEN (current_user = {} {}) EXECUTE FUNCTION leasehold.keep_apart()",
                table,
                app,
                _sql(named if name == "job" else ""),
            )

    # -- inside ----------------------------------------------------------------------------------
    def _run(self, sql: str, *parts: Composable) -> None:
        self._connection.execute(_sql(sql).format(*parts), prepare=False)

    def _ask(self, name: str, **parameters: Any) -> list[Any]:
        sql = load(PACKAGE, name).encode()
        return self._connection.execute(sql, parameters or None, prepare=False).fetchall()

    def _value(self, sql: str, *given: str) -> Any:
        row = self._connection.execute(sql.encode(), given, prepare=False).fetchone()
        return None if row is None else row[0]


def _sql(text: str) -> SQL:
    """Take a text of ours, or of the catalog's own quoting, as SQL."""
    return SQL(text)  # type: ignore[arg-type,unused-ignore] # a LiteralString, to some checkers
