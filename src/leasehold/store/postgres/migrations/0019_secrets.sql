-- serves code from 1
-- What applications keep encrypted. The keys are never here. See ARCHITECTURE.md, "Encryption".

CREATE TABLE leasehold.credential (
  tenant     text COLLATE "C" NOT NULL DEFAULT '',
  name       text COLLATE "C" NOT NULL,
  value      text             NOT NULL, -- encrypted, bound to its tenant and name
  set_by     text,
  updated_at timestamptz      NOT NULL,
  PRIMARY KEY (tenant, name)
);
