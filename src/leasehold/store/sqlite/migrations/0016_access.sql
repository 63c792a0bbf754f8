-- serves code from 1
-- Who may use the service, and what was done by whom. See ARCHITECTURE.md, "Access" and "Audit".

-- A token's secret is nowhere here: only its SHA-256. One that was revoked stays, so that its name explains
-- what the audit says of it, and the service does not open again.
CREATE TABLE leasehold_token (
  id           TEXT    NOT NULL PRIMARY KEY, -- the part of it that is no secret
  name         TEXT    NOT NULL,
  digest       BLOB    NOT NULL,
  scope        TEXT    NOT NULL,
  bound_to     TEXT,                         -- NULL: all tenants
  created_at   INTEGER NOT NULL,
  created_by   TEXT,
  expires_at   INTEGER,
  revoked_at   INTEGER,
  last_used_at INTEGER                       -- to the hour or so
) WITHOUT ROWID;
CREATE UNIQUE INDEX leasehold_token_name ON leasehold_token (name) WHERE revoked_at IS NULL;

-- Who logged in to the dashboard. With a token, what that may do is looked up there.
CREATE TABLE leasehold_session (
  digest     BLOB    NOT NULL PRIMARY KEY, -- of the cookie
  token      TEXT,
  name       TEXT    NOT NULL,
  scope      TEXT    NOT NULL,
  bound_to   TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX leasehold_session_expires_at ON leasehold_session (expires_at);

-- What people did. Rows are only ever added: one may go only when a row says that it was pruned.
CREATE TABLE leasehold_audit (
  id        INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  at        INTEGER NOT NULL,
  actor     TEXT    NOT NULL,
  via       TEXT    NOT NULL,
  address   TEXT    NOT NULL,
  tenant    TEXT    NOT NULL,
  action    TEXT    NOT NULL,
  subject   TEXT    NOT NULL,
  count     INTEGER NOT NULL,
  detail    TEXT    NOT NULL, -- JSON
  pruned_to INTEGER           -- all before this one may go
);
CREATE INDEX leasehold_audit_tenant ON leasehold_audit (tenant, id);
CREATE INDEX leasehold_audit_pruned_to ON leasehold_audit (pruned_to) WHERE pruned_to IS NOT NULL;

CREATE TRIGGER leasehold_audit_is_kept
BEFORE UPDATE ON leasehold_audit
BEGIN
  SELECT raise(ABORT, 'the audit record is never changed');
END;

CREATE TRIGGER leasehold_audit_is_pruned
BEFORE DELETE ON leasehold_audit
WHEN NOT EXISTS (
  SELECT 1
  FROM leasehold_audit
  WHERE pruned_to IS NOT NULL
    AND pruned_to > OLD.id
)
BEGIN
  SELECT raise(ABORT, 'the audit record is pruned by its own command only');
END;
