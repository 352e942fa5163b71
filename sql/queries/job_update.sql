-- Guarded: a row still in the state and attempt it leaves, or the whole turn is undone. A job that
-- changes several times in a turn is in as many batches, one after another.
WITH changed AS (
  UPDATE cox.job AS r SET
    state = w.state, name = w.name, user_name = w.user_name, partition = w.partition,
    qos = w.qos, attempt = w.attempt, held = w.held, why = w.why,
    submitted_at = w.submitted_at, eligible_at = w.eligible_at, started_at = w.started_at,
    ended_at = w.ended_at, exit_code = w.exit_code, exit_signal = w.exit_signal,
    restarts = w.restarts, avoid_nodes = w.avoid_nodes::text[], request_id = w.request_id,
    form = w.form, command = w.command::text[], script_hash = w.script_hash,
    environment_hash = w.environment_hash, uid = w.uid, gid = w.gid, work_dir = w.work_dir,
    output = w.output, error = w.error, input = w.input, append_output = w.append_output,
    nodes = w.nodes, tasks = w.tasks, tasks_asked = w.tasks_asked,
    tasks_per_node = w.tasks_per_node, cpus_per_task = w.cpus_per_task,
    cpus_per_task_asked = w.cpus_per_task_asked, memory_mb_per_node = w.memory_mb_per_node,
    gpu_type = w.gpu_type, gpus_per_node = w.gpus_per_node, exclusive = w.exclusive,
    nodelist = w.nodelist::text[], required_feature = w.required_feature,
    time_limit_s = w.time_limit_s, signal_number = w.signal_number,
    signal_seconds_before = w.signal_seconds_before, signal_batch_only = w.signal_batch_only,
    checkpoint_signal = w.checkpoint_signal, checkpoint_by = w.checkpoint_by,
    requeue = w.requeue, requeue_on_timeout = w.requeue_on_timeout, no_fence = w.no_fence,
    hold = w.hold, submit_host = w.submit_host
  FROM unnest(
      $1::bigint[], $2::cox.job_state[], $3::text[], $4::text[], $5::text[], $6::text[],
      $7::integer[], $8::boolean[], $9::text[], $10::timestamptz[], $11::timestamptz[],
      $12::timestamptz[], $13::timestamptz[], $14::integer[], $15::integer[], $16::integer[],
      $17::text[], $18::text[], $19::cox.job_form[], $20::text[], $21::text[], $22::text[],
      $23::bigint[], $24::bigint[], $25::text[], $26::text[], $27::text[], $28::text[],
      $29::boolean[], $30::bigint[], $31::bigint[], $32::boolean[], $33::bigint[],
      $34::bigint[], $35::boolean[], $36::bigint[], $37::text[], $38::bigint[], $39::boolean[],
      $40::text[], $41::text[], $42::bigint[], $43::integer[], $44::bigint[], $45::boolean[],
      $46::integer[], $47::cox.checkpoint_by[], $48::boolean[], $49::boolean[], $50::boolean[],
      $51::boolean[], $52::text[], $53::cox.job_state[], $54::integer[]
    ) AS w(
      id, state, name, user_name, partition, qos, attempt, held, why, submitted_at,
      eligible_at, started_at, ended_at, exit_code, exit_signal, restarts, avoid_nodes,
      request_id, form, command, script_hash, environment_hash, uid, gid, work_dir, output,
      error, input, append_output, nodes, tasks, tasks_asked, tasks_per_node, cpus_per_task,
      cpus_per_task_asked, memory_mb_per_node, gpu_type, gpus_per_node, exclusive, nodelist,
      required_feature, time_limit_s, signal_number, signal_seconds_before, signal_batch_only,
      checkpoint_signal, checkpoint_by, requeue, requeue_on_timeout, no_fence, hold,
      submit_host, state_left, attempt_left)
  WHERE r.id = w.id
    AND r.state = w.state_left AND r.attempt = w.attempt_left
  RETURNING 1)
SELECT cox.expect_rows('job', cardinality($1), (SELECT count(*) FROM changed));
