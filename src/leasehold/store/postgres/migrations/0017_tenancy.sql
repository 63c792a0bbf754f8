-- serves code from 1
-- Tenants apart from each other. Who acts for one says so in its transaction: leasehold.tenant. Roles,
-- policies and triggers are made by `leasehold migrate --roles`; without them nobody pays for these.

-- The tenant that this transaction acts for; NULL: for none. A setting that was local to an earlier
-- transaction of this connection reads '' afterwards, not NULL.
CREATE FUNCTION leasehold.tenant()
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT nullif(current_setting('leasehold.tenant', true), '')
$$;

-- Refuses rows that a tenant writes and that name what is another's: a policy looks at a row's own tenant
-- only. For the role of tenants alone. It runs as the owner, who sees all; who calls it learns no more
-- than that an id is not its own. Primary keys.
CREATE FUNCTION leasehold.refuse_foreign(said text)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  RAISE EXCEPTION USING
    ERRCODE = 'LH010',
    MESSAGE = format('a row of leasehold.%s names what is not of its tenant', said);
END
$$;

-- … one row, which names jobs, batches, callbacks and a lane.
CREATE FUNCTION leasehold.keep_apart()
RETURNS trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
AS $$
DECLARE
  written jsonb := to_jsonb(NEW);
  job     jsonb := CASE WHEN TG_TABLE_NAME = 'schedule' THEN written -> 'job' ELSE written END;
  jobs    text[];
  batches text[];
BEGIN
  jobs := ARRAY[written ->> 'job_id', written ->> 'next']
    || ARRAY (SELECT jsonb_array_elements_text(job -> 'needs' -> 'jobs'));
  batches := ARRAY[job ->> 'batch', written ->> 'parent'];
  IF EXISTS (
    SELECT FROM leasehold.job AS j WHERE j.id = ANY (jobs::uuid[]) AND j.tenant <> NEW.tenant
  ) OR EXISTS (
    SELECT FROM leasehold.batch AS b WHERE b.id = ANY (batches::uuid[]) AND b.tenant <> NEW.tenant
  ) OR EXISTS (
    SELECT
    FROM unnest(ARRAY[job -> 'on_end', written -> 'on_failure']) AS callback
    WHERE nullif(callback ->> 'tenant', '') <> NEW.tenant
  ) OR leasehold.lane_tenant(written ->> 'lane') <> NEW.tenant THEN
    PERFORM leasehold.refuse_foreign(TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;

-- … many rows, of one statement, each of which belongs to a job.
CREATE FUNCTION leasehold.keep_rows_apart()
RETURNS trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
AS $$
BEGIN
  IF EXISTS (
    SELECT
    FROM written
    CROSS JOIN LATERAL (
      SELECT FROM leasehold.job AS j WHERE j.id = written.job_id AND j.tenant <> written.tenant OFFSET 0
    ) AS other
  ) THEN
    PERFORM leasehold.refuse_foreign(TG_TABLE_NAME);
  END IF;
  IF TG_TABLE_NAME = 'dependency' THEN
    IF EXISTS (
      SELECT
      FROM written
      CROSS JOIN LATERAL (
        SELECT FROM leasehold.job AS j WHERE j.id = written.needs AND j.tenant <> written.tenant OFFSET 0
      ) AS other
    ) THEN
      PERFORM leasehold.refuse_foreign(TG_TABLE_NAME);
    END IF;
  ELSIF TG_TABLE_NAME IN ('scheduled', 'waiting') THEN
    IF EXISTS (
      SELECT FROM written WHERE leasehold.lane_tenant(written.lane) <> written.tenant
    ) THEN
      PERFORM leasehold.refuse_foreign(TG_TABLE_NAME);
    END IF;
  END IF;
  IF TG_TABLE_NAME IN ('ready', 'scheduled', 'parked', 'waiting') THEN
    IF EXISTS (
      SELECT
      FROM written
      CROSS JOIN LATERAL (
        SELECT
        FROM leasehold.batch AS b
        WHERE written.batch IS NOT NULL AND b.id = written.batch AND b.tenant <> written.tenant
        OFFSET 0
      ) AS other
    ) THEN
      PERFORM leasehold.refuse_foreign(TG_TABLE_NAME);
    END IF;
  END IF;
  RETURN NULL;
END
$$;
