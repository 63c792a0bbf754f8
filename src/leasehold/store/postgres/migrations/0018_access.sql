-- serves code from 1
-- Who may use the service, and what was done by whom. See ARCHITECTURE.md, "Access" and "Audit".

-- A token's secret is nowhere here: only its SHA-256. One that was revoked stays, so that its name explains
-- what the audit says of it, and the service does not open again.
CREATE TABLE leasehold.token (
  id           text COLLATE "C" NOT NULL PRIMARY KEY, -- the part of it that is no secret
  name         text COLLATE "C" NOT NULL,
  digest       bytea            NOT NULL,
  scope        text             NOT NULL,
  bound_to     text COLLATE "C",                      -- NULL: all tenants
  created_at   timestamptz      NOT NULL,
  created_by   text,
  expires_at   timestamptz,
  revoked_at   timestamptz,
  last_used_at timestamptz                            -- to the hour or so
);
CREATE UNIQUE INDEX token_name ON leasehold.token (name) WHERE revoked_at IS NULL;

-- Who logged in to the dashboard. With a token, what that may do is looked up there.
CREATE TABLE leasehold.session (
  digest     bytea            NOT NULL PRIMARY KEY, -- of the cookie
  token      text COLLATE "C",
  name       text             NOT NULL,
  scope      text             NOT NULL,
  bound_to   text COLLATE "C",
  created_at timestamptz      NOT NULL,
  expires_at timestamptz      NOT NULL
);
CREATE INDEX session_expires_at ON leasehold.session (expires_at);

-- What people did. Rows are only ever added: one may go only when a row says that it was pruned.
CREATE TABLE leasehold.audit (
  id        bigint           GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at        timestamptz      NOT NULL,
  actor     text             NOT NULL,
  via       text             NOT NULL,
  address   text             NOT NULL,
  tenant    text COLLATE "C" NOT NULL,
  action    text             NOT NULL,
  subject   text             NOT NULL,
  count     bigint           NOT NULL,
  detail    jsonb            NOT NULL,
  pruned_to bigint                     -- all before this one may go
);
CREATE INDEX audit_tenant ON leasehold.audit (tenant, id);
CREATE INDEX audit_pruned_to ON leasehold.audit (pruned_to) WHERE pruned_to IS NOT NULL;

CREATE FUNCTION leasehold.keep_audit() RETURNS trigger
LANGUAGE plpgsql
SET search_path = leasehold, pg_temp
AS $$
BEGIN
  IF TG_OP = 'DELETE' AND EXISTS (
    SELECT
    FROM leasehold.audit
    WHERE pruned_to IS NOT NULL
      AND pruned_to > OLD.id
  ) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'the audit record is never changed, and pruned by its own command only';
END
$$;

CREATE TRIGGER audit_is_kept
BEFORE UPDATE OR DELETE ON leasehold.audit
FOR EACH ROW EXECUTE FUNCTION leasehold.keep_audit();

CREATE TRIGGER audit_is_not_emptied
BEFORE TRUNCATE ON leasehold.audit
FOR EACH STATEMENT EXECUTE FUNCTION leasehold.keep_audit();
