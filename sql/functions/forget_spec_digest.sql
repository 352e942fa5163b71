CREATE OR REPLACE FUNCTION cox.forget_spec_digest()
  RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  NEW.spec_digest := NULL;
  RETURN NEW;
END $$;
COMMENT ON FUNCTION cox.forget_spec_digest() IS
  'Sets spec_digest to null when what a job asks for is changed without a new digest.';

CREATE OR REPLACE TRIGGER forget_spec_digest BEFORE UPDATE OF
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
