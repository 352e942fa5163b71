-- A controller that starts reads what is asked for once for all jobs that ask for the same: most of a row is
-- that.
ALTER TABLE cox.job ADD COLUMN spec_digest uuid;
COMMENT ON COLUMN cox.job.spec_digest IS
  'Equal for jobs of one user that ask for the same: a hash of it, by the controller. null: of a job from '
  'before there was one, or whose row was changed by hand.';

CREATE FUNCTION cox.forget_spec_digest()
  RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  NEW.spec_digest := NULL;
  RETURN NEW;
END $$;
COMMENT ON FUNCTION cox.forget_spec_digest() IS
  'What a job asks for was changed by somebody who does not know its digest.';
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
    mail_user, command_path, stored_options, components
  ON cox.job FOR EACH ROW WHEN (NEW.spec_digest = OLD.spec_digest)
  EXECUTE FUNCTION cox.forget_spec_digest();

-- For the same: whoever waits for others is found without a look at all that wait.
CREATE INDEX job_that_depends ON cox.job (id) WHERE ended_at IS NULL AND dependency_on <> '{}';
COMMENT ON INDEX cox.job_that_depends IS 'Jobs that wait for others.';
