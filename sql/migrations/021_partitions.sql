-- Partitions: their state, which people change live; where each attempt runs, of the partitions that
-- its job names; and what nodes weigh.
CREATE TYPE cox.partition_state AS ENUM ('UP', 'DOWN', 'DRAIN', 'INACTIVE');
COMMENT ON TYPE cox.partition_state IS
  'UP: jobs are taken, and start. DOWN: they are taken, and none starts. DRAIN: none are taken, and '
  'those that wait start. INACTIVE: neither.';

CREATE TABLE cox.partition (
  name text PRIMARY KEY CHECK (name <> ''),
  state cox.partition_state NOT NULL,
  reason text NOT NULL DEFAULT '',
  changed_at timestamptz NOT NULL);
COMMENT ON TABLE cox.partition IS
  'Partitions whose state somebody has changed; others are UP. What a partition is stands in the '
  'configuration; a row of one that is not there means nothing.';
COMMENT ON COLUMN cox.partition.name IS 'The partition, as the configuration names it.';
COMMENT ON COLUMN cox.partition.state IS 'Whether it takes jobs, and starts them.';
COMMENT ON COLUMN cox.partition.reason IS 'Why it is in that state, for people.';
COMMENT ON COLUMN cox.partition.changed_at IS 'When that was last changed.';

ALTER TABLE cox.attempt ADD COLUMN partition text NOT NULL DEFAULT '';
COMMENT ON COLUMN cox.attempt.partition IS
  'Where it runs, of the partitions that its job names; empty: from before there was this.';

ALTER TABLE cox.node ADD COLUMN weight bigint NOT NULL DEFAULT 1 CHECK (weight >= 0);
COMMENT ON COLUMN cox.node.weight IS
  'Of the nodes that would do, jobs get those of the least weight first.';

CREATE VIEW cox.partitions AS
  WITH jobs AS (
    SELECT p.name, count(*) FILTER (WHERE j.state = 'PENDING') AS waiting,
           count(*) FILTER (WHERE j.state <> 'PENDING') AS running
      FROM cox.job j
      LEFT JOIN cox.attempt a ON a.job_id = j.id AND a.ended_at IS NULL
      CROSS JOIN LATERAL unnest(
        string_to_array(coalesce(nullif(a.partition, ''), j.partition), ',')) AS p(name)
      WHERE j.ended_at IS NULL
      GROUP BY p.name)
  SELECT coalesce(p.name, jobs.name) AS name, coalesce(p.state, 'UP') AS state,
         coalesce(p.reason, '') AS reason, coalesce(jobs.waiting, 0) AS waiting,
         coalesce(jobs.running, 0) AS running, p.changed_at
    FROM cox.partition p
    FULL JOIN jobs ON jobs.name = p.name
    ORDER BY 1;
COMMENT ON VIEW cox.partitions IS
  'Partitions that jobs wait or run in, or whose state somebody has changed. The configuration knows '
  'them all.';
COMMENT ON COLUMN cox.partitions.name IS 'The partition.';
COMMENT ON COLUMN cox.partitions.state IS 'Whether it takes jobs, and starts them.';
COMMENT ON COLUMN cox.partitions.reason IS 'Why it is in that state.';
COMMENT ON COLUMN cox.partitions.waiting IS
  'Jobs that wait; one that names several partitions counts in each.';
COMMENT ON COLUMN cox.partitions.running IS 'Jobs that have room there.';
COMMENT ON COLUMN cox.partitions.changed_at IS 'When its state was last changed; null: never.';
SELECT cox.grant_reader();
