-- serves code from 1
-- What applications keep encrypted. The keys are never here. See ARCHITECTURE.md, "Encryption".

CREATE TABLE leasehold_credential (
  tenant     TEXT    NOT NULL DEFAULT '',
  name       TEXT    NOT NULL,
  value      TEXT    NOT NULL, -- encrypted, bound to its tenant and name
  set_by     TEXT,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, name)
) WITHOUT ROWID;
