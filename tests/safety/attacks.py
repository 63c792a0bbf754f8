"""Statements with which a tenant, whatever SQL it can run, would reach what is another's.

`{dead}`, `{waiting}`, `{done}` and `{batch}` are ids of the other tenant's.
"""

FOREIGN_ROWS = (
    "UPDATE leasehold.key SET tenant = 'globex'",
    "UPDATE leasehold.ready SET tenant = 'globex'",
    """
    INSERT INTO leasehold.batch (id, tenant, created_at)
    VALUES (gen_random_uuid(), 'globex', now())
    """,
    "INSERT INTO leasehold.batch (id, tenant, created_at) VALUES (gen_random_uuid(), '', now())",
    "SELECT leasehold.enqueue('greet', tenant => 'globex')",
    "SELECT leasehold.enqueue('greet')",
    """SELECT leasehold.create_batch('{"tenant": "globex"}')""",
    "INSERT INTO leasehold.throttle (name, running, updated_at) VALUES ('@domain', 9, now())",
    """
    INSERT INTO leasehold.throttle (name, tenant, running, updated_at)
    VALUES (E'@domain:globex\\x1e', 'globex', 0, now())
    """,
)
ALL_ROWS = (
    "DELETE FROM leasehold.job",
    "DELETE FROM leasehold.outcome",
    "DELETE FROM leasehold.key",
    "DELETE FROM leasehold.schedule",
    "DELETE FROM leasehold.checkpoint",
    "DELETE FROM leasehold.throttle",
    "UPDATE leasehold.throttle SET paused_until = 'infinity'",
    "SELECT FROM leasehold.throttle",
    "UPDATE leasehold.lease SET cancel_requested = true",
    "UPDATE leasehold.batch SET cancelled_at = now()",
)
FOREIGN_NAMES = (
    """
    INSERT INTO leasehold.ready (job_id, created_at, priority, queue, kind, tenant)
    VALUES ('{dead}', now(), 0, 'q', 'greet', 'acme')
    """,
    """
    INSERT INTO leasehold.scheduled (job_id, run_at, created_at, priority, queue, kind, tenant)
    VALUES ('{dead}', now(), now(), 0, 'q', 'greet', 'acme')
    """,
    """
    INSERT INTO leasehold.waiting (job_id, created_at, priority, queue, kind, tenant)
    VALUES ('{dead}', now(), 0, 'q', 'greet', 'acme')
    """,
    """
    INSERT INTO leasehold.parked
      (job_id, created_at, attempt, failures, lapses, priority, queue, kind, tenant)
    VALUES ('{dead}', now(), 0, 0, 0, 0, 'q', 'greet', 'acme')
    """,
    """
    INSERT INTO leasehold.outcome (job_id, attempt, state, failures, lapses, finished_at, tenant)
    VALUES ('{waiting}', 9, 'succeeded', 0, 0, now(), 'acme')
    """,
    """
    INSERT INTO leasehold.dependency (needs, job_id, tenant)
    VALUES ('{done}', gen_random_uuid(), 'acme')
    """,
    "INSERT INTO leasehold.dependent (job_id, tenant) VALUES ('{waiting}', 'acme')",
    "INSERT INTO leasehold.callback (job_id, tenant) VALUES ('{waiting}', 'acme')",
    """
    INSERT INTO leasehold.key (tenant, key, job_id, taken_at, series_at)
    VALUES ('acme', 'k', '{waiting}', now(), now())
    """,
    """
    INSERT INTO leasehold.key (tenant, key, job_id, next, taken_at, series_at)
    VALUES ('acme', 'k', gen_random_uuid(), '{waiting}', now(), now())
    """,
    """
    INSERT INTO leasehold.job (id, created_at, timeout_seconds, priority, max_attempts, tenant,
      queue, kind, args, needs)
    VALUES (gen_random_uuid(), now(), 1, 0, 1, 'acme', 'q', 'greet', '{{}}',
      '{{"jobs": ["{done}"]}}')
    """,
    """
    INSERT INTO leasehold.job (id, created_at, timeout_seconds, priority, max_attempts, tenant,
      queue, kind, args, batch)
    VALUES (gen_random_uuid(), now(), 1, 0, 1, 'acme', 'q', 'greet', '{{}}', '{batch}')
    """,
    """
    INSERT INTO leasehold.batch (id, tenant, parent, created_at)
    VALUES (gen_random_uuid(), 'acme', '{batch}', now())
    """,
    """
    INSERT INTO leasehold.schedule (tenant, name, rule, job, created_at, updated_at)
    VALUES ('acme', 's', '@daily',
      '{{"kind": "a", "on_end": {{"kind": "b", "tenant": "globex"}}}}', now(), now())
    """,
    """
    SELECT leasehold.enqueue('greet', tenant => 'acme',
      on_end => '{{"kind": "greet", "tenant": "globex"}}')
    """,
    """
    SELECT leasehold.create_batch(
      '{{"tenant": "acme", "on_failure": {{"kind": "greet", "tenant": "globex"}}}}')
    """,
    """
    INSERT INTO leasehold.job (id, created_at, timeout_seconds, priority, max_attempts, tenant,
      queue, kind, args, lane)
    VALUES (gen_random_uuid(), now(), 1, 0, 1, 'acme', 'q', 'greet', '{{}}',
      E'@domain:globex\\x1ea.com')
    """,
    """
    INSERT INTO leasehold.waiting (job_id, created_at, priority, queue, kind, tenant, lane)
    VALUES (gen_random_uuid(), now(), 0, 'q', 'greet', 'acme', E'@domain:globex\\x1ea.com')
    """,
    """
    INSERT INTO leasehold.scheduled
      (job_id, run_at, created_at, priority, queue, kind, tenant, lane)
    VALUES (gen_random_uuid(), now(), now(), 0, 'q', 'greet', 'acme', E'@domain:\\x1ea.com')
    """,
    "SELECT leasehold.enqueue('greet', tenant => 'acme', after => ARRAY['{done}']::uuid[])",
    "SELECT leasehold.enqueue('greet', tenant => 'acme', batch => '{batch}')",
    "SELECT leasehold.enqueue('greet', tenant => 'acme', id => '{waiting}')",
    "SELECT leasehold.enqueue('greet', tenant => 'acme', id => '{waiting}', key => 'k')",
)
MORE_RIGHTS = (
    "CREATE TABLE leasehold.mine (id integer)",
    "ALTER TABLE leasehold.job DISABLE ROW LEVEL SECURITY",
    "DROP POLICY leasehold_app ON leasehold.job",
    "TRUNCATE leasehold.job",
    "CREATE OR REPLACE FUNCTION leasehold.tenant() RETURNS text LANGUAGE sql AS $$ SELECT 'x' $$",
    "SELECT nextval('leasehold.fence')",
    "SELECT leasehold.prune_jobs(NULL, 1, false, 0, 0)",
    "INSERT INTO leasehold.lease (job_id) VALUES (gen_random_uuid())",
    "UPDATE leasehold.job SET args = '{}'",
    "UPDATE leasehold.outcome SET result = '{}'",
)
ODD_NAMES = (
    "a'; RESET ROLE; --",
    "globex' OR '1'='1",
    "%s",
    "a\\'b",
    '"',
    "ac{}me",
    "$1",
    "x" * 99,
)
