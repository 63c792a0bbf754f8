-- serves code from 1
-- Jobs that wait for others stand in waiting at stage '#', which no claim asks for, whatever lane or
-- time they have; what lets them go puts them where they belong. Written by the enqueue's one INSERT.
CREATE TRIGGER leasehold_job_needs
AFTER INSERT ON leasehold_job
WHEN NEW.needs IS NOT NULL
BEGIN
  INSERT INTO leasehold_waiting
    (job_id, queue, stage, priority, created_at, kind, tenant, batch)
  VALUES
    (NEW.id, NEW.queue, '#', NEW.priority, NEW.created_at, NEW.kind, NEW.tenant, NEW.batch);
  INSERT INTO leasehold_dependent (job_id, tenant) VALUES (NEW.id, NEW.tenant);
  INSERT INTO leasehold_dependency (needs, job_id, tenant)
  SELECT DISTINCT value, NEW.id, NEW.tenant
  FROM json_each(NEW.needs, '$.jobs');
END;

-- How each job that is needed stands to the one that needs it: open while it lives, done, bad; or old,
-- when it ended badly before that one was last ended itself: who retries that one wants it to wait for
-- a better end. Read by job_id: one moment's truth, and a scan ends at the first row that says enough.
CREATE VIEW leasehold_need AS
SELECT
  d.job_id,
  d.needs,
  CASE
    WHEN EXISTS (SELECT 1 FROM leasehold_lease WHERE job_id = d.needs) THEN 'open'
    WHEN EXISTS (SELECT 1 FROM leasehold_ready WHERE job_id = d.needs) THEN 'open'
    WHEN EXISTS (SELECT 1 FROM leasehold_scheduled WHERE job_id = d.needs) THEN 'open'
    WHEN EXISTS (SELECT 1 FROM leasehold_waiting WHERE job_id = d.needs) THEN 'open'
    WHEN EXISTS (SELECT 1 FROM leasehold_parked WHERE job_id = d.needs) THEN 'open'
    ELSE (
      SELECT CASE
        WHEN ended.state = 'succeeded' THEN 'done'
        WHEN own.finished_at IS NULL OR ended.finished_at > own.finished_at THEN 'bad'
        ELSE 'old' -- or deleted, or it never was
      END
      FROM (SELECT 1)
      LEFT JOIN leasehold_outcome AS ended
        ON ended.job_id = d.needs
        AND ended.attempt = (SELECT max(attempt) FROM leasehold_outcome WHERE job_id = d.needs)
      LEFT JOIN leasehold_outcome AS own
        ON own.job_id = d.job_id
        AND own.attempt = (SELECT max(attempt) FROM leasehold_outcome WHERE job_id = d.job_id)
    )
  END AS state
FROM leasehold_dependency AS d;
