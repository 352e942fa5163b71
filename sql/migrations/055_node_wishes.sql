-- Which nodes a job gets: at least so many CPUs on each, next to one another, with preferred features.
ALTER TABLE cox.job
  ADD COLUMN min_cpus bigint NOT NULL DEFAULT 0,
  ADD COLUMN contiguous boolean NOT NULL DEFAULT false,
  ADD COLUMN exclusive_user boolean NOT NULL DEFAULT false,
  ADD COLUMN preferred_feature text NOT NULL DEFAULT '';
COMMENT ON COLUMN cox.job.min_cpus IS
  'The fewest CPUs it gets on each of its nodes, --mincpus; 0: not asked.';
COMMENT ON COLUMN cox.job.contiguous IS
  'Its nodes are next to one another in the order of the cluster''s nodes, --contiguous.';
COMMENT ON COLUMN cox.job.exclusive_user IS
  'Only jobs of the same user run on its nodes, --exclusive=user.';
COMMENT ON COLUMN cox.job.preferred_feature IS
  'Features that are tried before required_feature, --prefer; empty: none.';

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
    resume_attempt, resume_identity, resume_ranks, min_cpus, contiguous, exclusive_user,
    preferred_feature
  ON cox.job FOR EACH ROW WHEN (NEW.spec_digest = OLD.spec_digest)
  EXECUTE FUNCTION cox.forget_spec_digest();

-- Components are read by name, and each has all names.
UPDATE cox.job SET components = (
    SELECT jsonb_agg(c.size || '{"min_cpus": 0, "contiguous": false, "exclusive_user": false,
                                 "preferred_feature": ""}' ORDER BY c.position)
      FROM jsonb_array_elements(components) WITH ORDINALITY AS c(size, position))
  WHERE components <> '[]';

SELECT cox.grant_reader();
