-- What sacct tells: what the ranks of each attempt took, and jobs of all times by their users.
ALTER TABLE cox.attempt_node
  ADD COLUMN user_cpu_ms bigint NOT NULL DEFAULT 0,
  ADD COLUMN system_cpu_ms bigint NOT NULL DEFAULT 0,
  ADD COLUMN max_rss_kb bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN cox.attempt_node.user_cpu_ms IS
  'CPU time of its ranks that have exited there, as users; those of steps are counted in cox.step.';
COMMENT ON COLUMN cox.attempt_node.system_cpu_ms IS 'The same in the kernel.';
COMMENT ON COLUMN cox.attempt_node.max_rss_kb IS 'The most memory one of them held, in KiB.';

-- Whom it belongs to never changes, and when it ended is in an index already: updates of a job that
-- has not ended touch this one as little as the others.
CREATE INDEX job_of_user ON cox.job (user_name, ended_at);
