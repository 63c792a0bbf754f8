-- serves code from 1
-- What a claim took off and may not lease goes where it is found by who may: jobs of a kind that the worker
-- does not know, and those of a tenant that may run only so many. Claims call it for such a row alone: the
-- two inserts as parts of each claim made that of one job 0.05 ms longer (measured), mostly for nothing.
-- Returns what the claim is to say of its kind: nothing, where the tenant's quota has to be asked.
CREATE FUNCTION leasehold.set_aside(job_id uuid, queue text, priority smallint, created_at timestamptz,
  attempt integer, failures integer, lapses integer, kind text, tenant text, batch uuid, is_held boolean)
RETURNS text
LANGUAGE plpgsql
AS $$
#variable_conflict use_variable
BEGIN
  IF is_held THEN
    INSERT INTO leasehold.waiting (job_id, created_at, attempt, failures, lapses, priority, stage,
      queue, kind, tenant, batch)
    VALUES (job_id, created_at, attempt, failures, lapses, priority, '@' || tenant, queue, kind, tenant, batch);
    RETURN NULL;
  END IF;
  INSERT INTO leasehold.parked (job_id, queue, priority, created_at, attempt, failures, lapses,
    kind, tenant, batch)
  VALUES (job_id, queue, priority, created_at, attempt, failures, lapses, kind, tenant, batch);
  RETURN kind;
END
$$;
