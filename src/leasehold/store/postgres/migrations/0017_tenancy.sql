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

-- Refuses a row that a tenant writes and that names what is another's: a job, a batch, or a callback to
-- be made for another tenant. A trigger at the commit, for the role of tenants alone: the job of a row
-- may be written after it. It runs as the owner, who sees all; who calls it learns no more than that an
-- id is not its own. Primary keys.
CREATE FUNCTION leasehold.keep_apart()
RETURNS trigger
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  written jsonb := to_jsonb(NEW);
  job     jsonb := CASE WHEN TG_TABLE_NAME = 'schedule' THEN written -> 'job' ELSE written END;
  jobs    text[];
  batches text[];
BEGIN
  jobs := ARRAY[written ->> 'job_id', written ->> 'next'] || CASE jsonb_typeof(job -> 'needs')
    WHEN 'string' THEN ARRAY[job ->> 'needs']
    WHEN 'object' THEN ARRAY (SELECT jsonb_array_elements_text(job -> 'needs' -> 'jobs'))
  END;
  batches := ARRAY[job ->> 'batch', written ->> 'parent'];
  IF EXISTS (
    SELECT FROM leasehold.job AS j WHERE j.id = ANY (jobs::uuid[]) AND j.tenant <> NEW.tenant
  ) OR EXISTS (
    SELECT FROM leasehold.batch AS b WHERE b.id = ANY (batches::uuid[]) AND b.tenant <> NEW.tenant
  ) OR EXISTS (
    SELECT
    FROM unnest(ARRAY[job -> 'on_end', written -> 'on_failure']) AS callback
    WHERE nullif(callback ->> 'tenant', '') <> NEW.tenant
  ) THEN
    RAISE EXCEPTION USING
      ERRCODE = 'LH010',
      MESSAGE = format('a row of leasehold.%s names what is not of its tenant', TG_TABLE_NAME);
  END IF;
  RETURN NULL;
END
$$;
