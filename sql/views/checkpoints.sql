CREATE OR REPLACE VIEW cox.checkpoints AS
  SELECT c.job_id, CASE WHEN c.damaged THEN 'damaged'
                        WHEN c.pruned THEN 'pruned'
                        WHEN c.set_aside THEN 'set aside' ELSE 'good' END AS state,
         c.attempt, c.step, pg_size_pretty(c.bytes) AS size, c.files, c.committed_at, j.name,
         j.user_name
    FROM cox.checkpoint c JOIN cox.job j ON j.id = c.job_id
    ORDER BY c.committed_at DESC, c.job_id, c.step DESC;
COMMENT ON VIEW cox.checkpoints IS
  'Committed checkpoints, the newest first, and whether a job can resume from them.';
COMMENT ON COLUMN cox.checkpoints.job_id IS 'The job.';
COMMENT ON COLUMN cox.checkpoints.state IS
  'good: a job can resume from it; damaged: its files were read and differ from what was sealed; '
  'pruned: its files are removed; set aside: the job goes on from an older one, or anew.';
COMMENT ON COLUMN cox.checkpoints.attempt IS 'The attempt that saved it.';
COMMENT ON COLUMN cox.checkpoints.step IS 'The training step.';
COMMENT ON COLUMN cox.checkpoints.size IS 'Size of all ranks'' files together, such as 12 MB.';
COMMENT ON COLUMN cox.checkpoints.files IS 'Files of all ranks together.';
COMMENT ON COLUMN cox.checkpoints.committed_at IS 'When it was committed.';
COMMENT ON COLUMN cox.checkpoints.name IS 'The job''s name.';
COMMENT ON COLUMN cox.checkpoints.user_name IS 'The job''s user.';
