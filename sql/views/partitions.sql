-- The hours in which partitions are open are in the settings file. The database has only the
-- pending reasons that name them.
CREATE OR REPLACE VIEW cox.partitions AS
  WITH jobs AS (
    SELECT p.name, count(*) FILTER (WHERE j.state = 'PENDING') AS waiting,
           count(*) FILTER (WHERE j.state <> 'PENDING') AS running
      FROM cox.job j
      LEFT JOIN cox.attempt a ON a.job_id = j.id AND a.ended_at IS NULL
      CROSS JOIN LATERAL unnest(
        string_to_array(coalesce(nullif(a.partition, ''), j.partition), ',')) AS p(name)
      WHERE j.ended_at IS NULL
      GROUP BY p.name),
  closed AS (
    SELECT m[1] AS name, max(m[2]::timestamptz) AS until
      FROM cox.job_wait w
      CROSS JOIN LATERAL
        regexp_matches(w.detail, 'partition ([^ ]+) is closed until ([0-9TZ:-]+)', 'g') AS m
      GROUP BY m[1])
  SELECT coalesce(p.name, jobs.name) AS name, coalesce(p.state, 'UP') AS state,
         coalesce(p.reason, '') AS reason, coalesce(jobs.waiting, 0) AS waiting,
         coalesce(jobs.running, 0) AS running, p.changed_at,
         CASE WHEN closed.until > now() THEN closed.until END AS closed_until
    FROM cox.partition p
    FULL JOIN jobs ON jobs.name = p.name
    LEFT JOIN closed ON closed.name = coalesce(p.name, jobs.name)
    ORDER BY 1;
COMMENT ON VIEW cox.partitions IS
  'Partitions that have pending or running jobs, or whose state was changed. The configuration has all '
  'partitions.';
COMMENT ON COLUMN cox.partitions.name IS 'The partition.';
COMMENT ON COLUMN cox.partitions.state IS 'Whether it takes jobs, and starts them.';
COMMENT ON COLUMN cox.partitions.reason IS 'Why it is in that state.';
COMMENT ON COLUMN cox.partitions.waiting IS
  'Pending jobs; a job that names several partitions counts in each.';
COMMENT ON COLUMN cox.partitions.running IS 'Jobs that hold resources there.';
COMMENT ON COLUMN cox.partitions.changed_at IS 'When its state was last changed; null: never.';
COMMENT ON COLUMN cox.partitions.closed_until IS
  'When its hours open again, from the pending reasons of its jobs. Null: they are open, or no job waits '
  'for them.';
