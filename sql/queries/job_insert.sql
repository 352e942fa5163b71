-- Jobs accepted in this turn, as they are at its end.
INSERT INTO cox.job (
    id, state, attempt, held, why, eligible_at, started_at, ended_at, exit_code, exit_signal,
    restarts, avoid_nodes, request_id, submitted_at, name, user_name, partition, qos, form,
    command, script_hash, environment_hash, uid, gid, work_dir, output, error, input,
    append_output, nodes, tasks, tasks_asked, tasks_per_node, cpus_per_task, cpus_per_task_asked,
    memory_mb_per_node, gpu_type, gpus_per_node, exclusive, nodelist, required_feature,
    time_limit_s, signal_number, signal_seconds_before, signal_batch_only, checkpoint_signal,
    checkpoint_by, requeue, requeue_on_timeout, no_fence, hold, submit_host)
  SELECT
    w.id, w.state, w.attempt, w.held, w.why, w.eligible_at, w.started_at, w.ended_at,
    w.exit_code, w.exit_signal, w.restarts, w.avoid_nodes::text[], w.request_id, w.submitted_at,
    w.name, w.user_name, w.partition, w.qos, w.form, w.command::text[], w.script_hash,
    w.environment_hash, w.uid, w.gid, w.work_dir, w.output, w.error, w.input, w.append_output,
    w.nodes, w.tasks, w.tasks_asked, w.tasks_per_node, w.cpus_per_task, w.cpus_per_task_asked,
    w.memory_mb_per_node, w.gpu_type, w.gpus_per_node, w.exclusive, w.nodelist::text[],
    w.required_feature, w.time_limit_s, w.signal_number, w.signal_seconds_before,
    w.signal_batch_only, w.checkpoint_signal, w.checkpoint_by, w.requeue, w.requeue_on_timeout,
    w.no_fence, w.hold, w.submit_host
  FROM unnest(
      $1::bigint[], $2::cox.job_state[], $3::integer[], $4::boolean[], $5::text[],
      $6::timestamptz[], $7::timestamptz[], $8::timestamptz[], $9::integer[], $10::integer[],
      $11::integer[], $12::text[], $13::text[], $14::timestamptz[], $15::text[], $16::text[],
      $17::text[], $18::text[], $19::cox.job_form[], $20::text[], $21::text[], $22::text[],
      $23::bigint[], $24::bigint[], $25::text[], $26::text[], $27::text[], $28::text[],
      $29::boolean[], $30::bigint[], $31::bigint[], $32::boolean[], $33::bigint[], $34::bigint[],
      $35::boolean[], $36::bigint[], $37::text[], $38::bigint[], $39::boolean[], $40::text[],
      $41::text[], $42::bigint[], $43::integer[], $44::bigint[], $45::boolean[], $46::integer[],
      $47::cox.checkpoint_by[], $48::boolean[], $49::boolean[], $50::boolean[], $51::boolean[],
      $52::text[]
    ) AS w(
      id, state, attempt, held, why, eligible_at, started_at, ended_at, exit_code, exit_signal,
      restarts, avoid_nodes, request_id, submitted_at, name, user_name, partition, qos, form,
      command, script_hash, environment_hash, uid, gid, work_dir, output, error, input,
      append_output, nodes, tasks, tasks_asked, tasks_per_node, cpus_per_task,
      cpus_per_task_asked, memory_mb_per_node, gpu_type, gpus_per_node, exclusive, nodelist,
      required_feature, time_limit_s, signal_number, signal_seconds_before, signal_batch_only,
      checkpoint_signal, checkpoint_by, requeue, requeue_on_timeout, no_fence, hold, submit_host);
