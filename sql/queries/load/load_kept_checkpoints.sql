-- Returns the checkpoints of ended jobs, and pruned ones of any job, whose files no worker has
-- confirmed to be deleted (removed_at).
SELECT c.job_id, c.attempt, c.step, c.bytes, c.files, c.committed_at, c.damaged, c.pruned, c.removed_at,
       c.by_exit, c.damaged_in, c.set_aside, c.job_step, c.command_hash, j.identity, j.name, j.user_name, j.uid, j.state, j.ended_at,
       CASE j.checkpoint_by WHEN 'rank0' THEN 1 ELSE
         (SELECT count(*) FROM cox.rank r WHERE r.job_id = c.job_id AND r.attempt = c.attempt) END AS ranks,
       j.array_job, j.array_task
  FROM cox.checkpoint c
  JOIN cox.job j ON j.id = c.job_id
  WHERE c.removed_at IS NULL AND (c.pruned OR j.ended_at IS NOT NULL);
