-- When the files of a checkpoint are gone, and jobs that begin from the checkpoint of another job.
ALTER TABLE cox.checkpoint ADD COLUMN removed_at timestamptz;
COMMENT ON COLUMN cox.checkpoint.removed_at IS
  'When a worker confirmed that its files are gone; null: it has not.';
-- What was pruned so far was removed without a confirmation.
UPDATE cox.checkpoint SET removed_at = committed_at WHERE pruned;
CREATE INDEX checkpoint_with_files ON cox.checkpoint (job_id) WHERE removed_at IS NULL;
COMMENT ON INDEX cox.checkpoint_with_files IS 'Checkpoints whose files take room.';

ALTER TABLE cox.attempt ADD COLUMN resume_job bigint;
COMMENT ON COLUMN cox.attempt.resume_job IS
  'The job whose checkpoint it resumes from; null: its own job, or from the start.';

ALTER TABLE cox.job
  ADD COLUMN resume_job bigint NOT NULL DEFAULT 0,
  ADD COLUMN resume_step bigint NOT NULL DEFAULT -1,
  ADD COLUMN resume_attempt integer NOT NULL DEFAULT 0,
  ADD COLUMN resume_identity text NOT NULL DEFAULT '',
  ADD COLUMN resume_ranks integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN cox.job.resume_job IS
  'The job from whose checkpoint it begins (--resume-from); 0: it begins anew.';
COMMENT ON COLUMN cox.job.resume_step IS 'The step of that checkpoint.';
COMMENT ON COLUMN cox.job.resume_attempt IS 'The attempt that saved it.';
COMMENT ON COLUMN cox.job.resume_identity IS 'The identity of the job that saved it.';
COMMENT ON COLUMN cox.job.resume_ranks IS 'How many ranks saved it.';

DROP TRIGGER forget_spec_digest ON cox.job;
CREATE TRIGGER forget_spec_digest BEFORE UPDATE OF
    name, user_name, partition, qos, form, command, script_hash, environment_hash, uid, gid,
    work_dir, output, error, input, append_output, nodes, tasks, tasks_asked, tasks_per_node,
    cpus_per_task, cpus_per_task_asked, memory_mb_per_node, gpu_type, gpus_per_node, exclusive,
    nodelist, required_feature, time_limit_s, signal_number, signal_seconds_before,
    signal_batch_only, checkpoint_signal, checkpoint_by, requeue, requeue_on_timeout, no_fence,
    hold, submit_host, gpu_milli, gpu_choice, gres, licences, node_sizes, switches, topology,
    time_min_s, nice, dependency, begin_at, deadline_at, kill_on_invalid_dependency, account,
    reservation, array_asked, exclude, memory_mb_per_cpu, memory_mb_per_gpu, gpus,
    gpus_per_task, cpus_per_gpu, tasks_per_gpu, whole_memory, comment, wckey, mail_type,
    mail_user, command_path, stored_options, components, resume_job, resume_step,
    resume_attempt, resume_identity, resume_ranks
  ON cox.job FOR EACH ROW WHEN (NEW.spec_digest = OLD.spec_digest)
  EXECUTE FUNCTION cox.forget_spec_digest();

SELECT cox.grant_reader();
