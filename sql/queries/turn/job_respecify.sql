-- Updates what jobs ask for, after a user or operator has changed it, or when a job that begins from
-- the newest checkpoint of another job starts: all columns of a submission that can change.
-- job_update writes the state. A row without a digest stays without one, since
-- its other columns may differ from the controller's copy. Guarded: every job must exist.
WITH changed AS (
  UPDATE cox.job AS r SET
    name = w.name, partition = w.partition, qos = w.qos, account = w.account,
    work_dir = w.work_dir, output = w.output, error = w.error, input = w.input,
    nodes = w.nodes, tasks = w.tasks, tasks_asked = w.tasks_asked,
    tasks_per_node = w.tasks_per_node, cpus_per_task = w.cpus_per_task,
    cpus_per_task_asked = w.cpus_per_task_asked, memory_mb_per_node = w.memory_mb_per_node,
    gpu_type = w.gpu_type, gpus_per_node = w.gpus_per_node, gpu_milli = w.gpu_milli,
    exclusive = w.exclusive, nodelist = w.nodelist, required_feature = w.required_feature,
    time_limit_s = w.time_limit_s, time_min_s = w.time_min_s, requeue = w.requeue,
    gres = w.gres, licences = w.licences, node_sizes = w.node_sizes, switches = w.switches,
    nice = w.nice, dependency = w.dependency, begin_at = w.begin_at,
    deadline_at = w.deadline_at, reservation = w.reservation, exclude = w.exclude,
    memory_mb_per_cpu = w.memory_mb_per_cpu, memory_mb_per_gpu = w.memory_mb_per_gpu,
    gpus = w.gpus, gpus_per_task = w.gpus_per_task, cpus_per_gpu = w.cpus_per_gpu,
    tasks_per_gpu = w.tasks_per_gpu, whole_memory = w.whole_memory, comment = w.comment,
    wckey = w.wckey, mail_type = w.mail_type, mail_user = w.mail_user,
    components = w.components, min_cpus = w.min_cpus, contiguous = w.contiguous,
    exclusive_user = w.exclusive_user, preferred_feature = w.preferred_feature,
    resume_step = w.resume_step, resume_attempt = w.resume_attempt, resume_ranks = w.resume_ranks,
    spec_digest = CASE WHEN r.spec_digest IS NULL THEN NULL ELSE w.spec_digest END
  FROM unnest($1::cox.job[]) AS w
  WHERE r.id = w.id
  RETURNING 1)
SELECT cox.expect_rows('job', cardinality($1), (SELECT count(*) FROM changed));
