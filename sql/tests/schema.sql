-- pgTAP tests of the schema, for a database that a controller has migrated, with CREATE EXTENSION pgtap.
-- tests/store runs them; by hand: psql -f sql/tests/schema.sql. Everything is rolled back.

BEGIN;
SET LOCAL cox.writer = 'test';
CREATE SCHEMA cox_test;

-- Drops the NOT NULL constraints of a table, except of its key.
CREATE FUNCTION cox_test.drop_not_null_of(its regclass, key name[]) RETURNS void
  LANGUAGE plpgsql AS $$
DECLARE
  needed name;
BEGIN
  FOR needed IN SELECT attname FROM pg_attribute
      WHERE attrelid = its AND attnum > 0 AND attnotnull AND attname <> ALL (key) LOOP
    EXECUTE format('ALTER TABLE %s ALTER %I DROP NOT NULL', its, needed);
  END LOOP;
END $$;

-- Drops the NOT NULL constraints of cox.job, so that a test can insert rows with only the columns
-- that it needs.
CREATE FUNCTION cox_test.drop_not_null_of_jobs() RETURNS void LANGUAGE sql AS $$
  SELECT cox_test.drop_not_null_of('cox.job', '{id}')
$$;

CREATE FUNCTION cox_test.test_the_schema_has_all_tables_views_types_and_seeds()
  RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  RETURN NEXT tables_are('cox', (SELECT array_agg(t) FROM (
    SELECT unnest(ARRAY['job', 'attempt', 'attempt_node', 'rank', 'checkpoint', 'job_event', 'blob',
                        'node', 'qos', 'turn', 'leadership', 'schema_version', 'job_wait',
                        'start_estimate', 'association', 'request', 'partition', 'reservation',
                        'reservation_event', 'qos_used', 'step', 'node_event', 'failover',
                        'crontab', 'crontab_line', 'event_trigger']) AS t
    UNION ALL SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
      WHERE inhparent = 'cox.job_event'::regclass) names));
  RETURN NEXT views_are('cox',
    ARRAY['queue', 'nodes', 'attempts', 'checkpoints', 'events', 'history', 'waiting',
          'estimate_accuracy', 'dependencies', 'qos_usage', 'associations',
          'partitions', 'reservations', 'limit_waits', 'steps', 'job_component', 'lost_saves',
          'progress', 'crontabs']);
  RETURN NEXT enum_has_labels('cox', 'job_state', ARRAY['PENDING', 'CONFIGURING', 'RUNNING',
    'SUSPENDED', 'SIGNALING', 'COMPLETING', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMEOUT', 'NODE_FAIL',
    'PREEMPTED', 'OUT_OF_MEMORY', 'DEADLINE']);
  RETURN NEXT results_eq(
    'SELECT name, tier, preempt_mode::text, grace_ms FROM cox.qos ORDER BY tier',
    $q$VALUES ('besteffort', 1, 'requeue', 0::bigint), ('standard', 2, 'checkpoint', 60000),
              ('critical', 3, 'off', 60000)$q$, 'the schema begins with three QOS');
  RETURN NEXT enum_has_labels('cox', 'preempt_mode',
    ARRAY['checkpoint', 'requeue', 'cancel', 'off', 'suspend']);
  RETURN NEXT enum_has_labels('cox', 'partition_state', ARRAY['UP', 'DOWN', 'DRAIN', 'INACTIVE']);
  RETURN NEXT results_eq('SELECT id, account, parent, user_name FROM cox.association',
    $q$VALUES (1::bigint, 'root', '', '')$q$, 'the schema begins with the account root');
END $$;

CREATE FUNCTION cox_test.test_associations_show_the_tree_of_accounts()
  RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM cox_test.drop_not_null_of_jobs();
  INSERT INTO cox.association (id, account, parent, shares) VALUES
    (2, 'physics', 'root', 10), (3, 'lattice', 'physics', 1), (4, 'biology', 'root', 5);
  INSERT INTO cox.association (id, account, user_name, is_default) VALUES
    (5, 'lattice', 'ada', true), (6, 'physics', 'ada', false);
  RETURN NEXT results_eq(
    'SELECT path, user_name FROM cox.associations',
    $q$VALUES ('root', NULL), ('root/biology', NULL), ('root/physics', NULL),
              ('root/physics', 'ada'), ('root/physics/lattice', NULL),
              ('root/physics/lattice', 'ada')$q$,
    'the view shows the tree, each account before its parts');
  INSERT INTO cox.job (id, state, held, why, attempt, qos, account, user_name)
    VALUES (1, 'PENDING', false, '', 0, 'standard', 'lattice', 'ada');
  RETURN NEXT results_eq(
    'SELECT account, user_name, submitted FROM cox.associations WHERE submitted > 0',
    $q$VALUES ('root', NULL, 1::bigint), ('physics', NULL, 1), ('lattice', NULL, 1),
              ('lattice', 'ada', 1)$q$, 'a job counts for its user and for all accounts above');
  RETURN NEXT throws_ok(
    $q$INSERT INTO cox.association (id, account, user_name) VALUES (9, 'lattice', 'ada')$q$,
    '23505', NULL, 'a user has one row in an account');
  RETURN NEXT throws_ok(
    $q$INSERT INTO cox.association (id, account) VALUES (9, 'stray')$q$, '23514', NULL,
    'every account except root has a parent');
  RETURN NEXT throws_ok(
    $q$UPDATE cox.association SET grp_tres = 'cpus=4' WHERE id = 2$q$, '23514', NULL,
    'a limit must be a TRES list');
  RETURN NEXT throws_ok($q$INSERT INTO cox.request (command) VALUES ('')$q$, '23514', NULL,
    'an empty request is refused');
END $$;

CREATE FUNCTION cox_test.test_all_tables_views_columns_and_functions_have_comments()
  RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  RETURN NEXT is_empty($q$
    SELECT c.relname FROM pg_class c
      WHERE c.relnamespace = 'cox'::regnamespace AND c.relkind IN ('r', 'p', 'v')
        AND obj_description(c.oid, 'pg_class') IS NULL$q$, 'every table and view has a comment');
  -- Leaves out partitions: their columns have the comments of cox.job_event.
  RETURN NEXT is_empty($q$
    SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relnamespace = 'cox'::regnamespace AND c.relkind IN ('r', 'p', 'v')
        AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped
        AND col_description(c.oid, a.attnum) IS NULL$q$, 'every column has a comment');
  RETURN NEXT is_empty($q$
    SELECT p.proname FROM pg_proc p
      WHERE p.pronamespace = 'cox'::regnamespace AND obj_description(p.oid, 'pg_proc') IS NULL
        AND p.proname <> 'check_transition'$q$, 'every function has a comment');
END $$;

-- An operator who selects all columns of a table or view sees the state near the left.
CREATE FUNCTION cox_test.test_state_is_the_second_column() RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  RETURN NEXT is_empty($q$
    SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relnamespace = 'cox'::regnamespace AND c.relname IN ('job', 'node', 'queue', 'nodes',
        'attempts', 'checkpoints', 'events', 'history', 'waiting')
        AND a.attname = 'state' AND a.attnum <> 2$q$, 'state is the second column');
END $$;

CREATE FUNCTION cox_test.test_the_reader_has_timeouts_and_may_only_select()
  RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  settings text[] := (SELECT setconfig FROM pg_db_role_setting
    WHERE setrole = 'cox_reader'::regrole AND setdatabase = 0);
BEGIN
  RETURN NEXT ok('statement_timeout=30s' = ANY (settings), 'statement_timeout');
  RETURN NEXT ok('idle_in_transaction_session_timeout=60s' = ANY (settings), 'idle timeout');
  RETURN NEXT table_privs_are('cox', 'job', 'cox_reader', ARRAY['SELECT']);
  RETURN NEXT table_privs_are('cox', 'blob', 'cox_reader', ARRAY[]::text[]);
  RETURN NEXT table_privs_are('cox', 'queue', 'cox_reader', ARRAY['SELECT']);
  RETURN NEXT table_privs_are('cox', 'job_wait', 'cox_reader', ARRAY['SELECT']);
  RETURN NEXT table_privs_are('cox', 'waiting', 'cox_reader', ARRAY['SELECT']);
  RETURN NEXT table_privs_are('cox', 'estimate_accuracy', 'cox_reader', ARRAY['SELECT']);
  RETURN NEXT table_privs_are('cox', 'dependencies', 'cox_reader', ARRAY['SELECT']);
  RETURN NEXT table_privs_are('cox', 'limit_waits', 'cox_reader', ARRAY['SELECT']);
  RETURN NEXT table_privs_are('cox', 'job_component', 'cox_reader', ARRAY['SELECT']);
END $$;

CREATE FUNCTION cox_test.test_constraints_and_triggers_refuse_invalid_rows()
  RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  RETURN NEXT has_check('cox', 'job', 'job has CHECK constraints');
  RETURN NEXT throws_ok('DELETE FROM cox.qos WHERE name = ''standard''', '23001');
  RETURN NEXT throws_ok('UPDATE cox.qos SET name = ''x'' WHERE name = ''standard''', '23001');
  RETURN NEXT throws_ok('TRUNCATE cox.qos CASCADE', '23001');
  RETURN NEXT lives_ok('UPDATE cox.qos SET grace_ms = 1 WHERE name = ''standard''');
  RETURN NEXT lives_ok('INSERT INTO cox.qos (name, tier) VALUES (''night'', 0)');
  RETURN NEXT throws_ok('DELETE FROM cox.qos WHERE name = ''night''', '23001', NULL,
    'only the controller removes a QOS');
  RETURN NEXT results_eq(
    $q$SELECT preempt_mode::text, grace_ms, preempt_weight, preempt_exempt_time_s
         FROM cox.qos WHERE name = 'night'$q$,
    $q$VALUES ('checkpoint', 60000::bigint, null::bigint, null::bigint)$q$,
    'a new QOS has the default settings');
  RETURN NEXT throws_ok('UPDATE cox.qos SET preempt_weight = 0', '23514');
  RETURN NEXT throws_ok('UPDATE cox.qos SET preempt_exempt_time_s = -1', '23514');
  RETURN NEXT throws_ok('UPDATE cox.qos SET preempt_mode = ''kill''', '22P02');
  RETURN NEXT is_empty($q$SELECT list FROM unnest(ARRAY['', 'cpu=64', 'mem=512G', 'mem=100',
    'cpu=1,node=2,gres/gpu=8', 'gres/gpu=0.5', 'gres/gpu:h100=4', 'gres/fpga:u280=1',
    'license/matlab=2']) AS list WHERE NOT cox.is_tres(list)$q$, 'valid TRES lists are accepted');
  RETURN NEXT is_empty($q$SELECT list FROM unnest(ARRAY['cpu', 'cpu=', 'cpu=-1', 'cpu=1.5', 'cpus=1',
    'mem=1K', 'gres/=1', 'gres/gpu', 'gres/gpu=1,', ',cpu=1', 'cpu=1 ,node=2', 'license/=1',
    'cpu=99999999999999999']) AS list WHERE cox.is_tres(list)$q$, 'others are refused');
  RETURN NEXT throws_ok('UPDATE cox.qos SET grp_tres = ''gpus=4''', '23514');
  RETURN NEXT throws_ok('UPDATE cox.qos SET max_wall_s = 0', '23514');
  RETURN NEXT throws_ok('UPDATE cox.qos SET grp_tres_mins = ''cpu=2@nights''', '23514', NULL,
    'only quotas may vary by hours');
  RETURN NEXT throws_ok('UPDATE cox.qos SET kept_tres = ''gpus=4''', '23514');
  RETURN NEXT throws_ok('UPDATE cox.qos SET grp_wall_s = -1', '23514');
  RETURN NEXT throws_ok('INSERT INTO cox.turn VALUES (false, 1, 1, 1, 1)', '23514');
  RETURN NEXT throws_ok('INSERT INTO cox.turn VALUES (true, 1, 1, 1, 1)', '23505');
  RETURN NEXT throws_ok('SELECT cox.expect_rows(''job'', 2, 1)', 'CX002');
  RETURN NEXT lives_ok('SELECT cox.expect_rows(''job'', 2, 2)');
  RETURN NEXT throws_ok('SELECT cox.begin_turn(99, 1, 1)', 'CX001');
END $$;

CREATE FUNCTION cox_test.test_each_component_has_a_row_and_counts_in_the_queue()
  RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM cox_test.drop_not_null_of_jobs();
  INSERT INTO cox.job (id, state, held, qos, nodes, tasks, partition, components)
    VALUES (1, 'PENDING', false, 'standard', 1, 2, 'main', '[]'),
           (2, 'PENDING', false, 'standard', 1, 2, 'main',
            '[{"nodes": 3, "tasks": 6, "partition": "gpu", "nodelist": ["n4"]},
              {"nodes": 1, "tasks": 1, "partition": "main", "nodelist": []}]');
  RETURN NEXT results_eq(
    'SELECT job_id, component, partition, nodes, nodelist FROM cox.job_component '
    'WHERE component > 0 OR job_id = 1 ORDER BY 1, 2',
    $rows$VALUES (1::bigint, 0, 'main', 1::bigint, NULL::text[]),
                 (2, 1, 'gpu', 3, '{n4}'), (2, 2, 'main', 1, '{}')$rows$,
    'a row for each component');
  RETURN NEXT results_eq('SELECT id, nodes, tasks FROM cox.queue ORDER BY id',
    'VALUES (1::bigint, 1::bigint, 2::bigint), (2, 5, 9)', 'the queue counts all components');
  RETURN NEXT is(cox.of_components('[{"nodes": 3, "gpus_per_node": 4, "gpu_milli": 500}]',
                                   'nodes', 'gpus_per_node', 'gpu_milli'), 6000::bigint,
                 'the sum of the products of each component');
END $$;

CREATE FUNCTION cox_test.test_the_queue_shows_why_a_job_waits()
  RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM cox_test.drop_not_null_of_jobs();
  INSERT INTO cox.job (id, state, held, why, attempt, qos, started_at)
    VALUES (1, 'PENDING', false, '', 0, 'standard', NULL),
           (2, 'PENDING', false, 'preempted by job 7', 1, 'standard', NULL),
           (3, 'PENDING', true, '', 0, 'standard', NULL),
           (4, 'PENDING', false, '', 0, 'standard', NULL),
           (5, 'RUNNING', false, 'all ranks run', 1, 'standard', now());
  INSERT INTO cox.job_wait (job_id, reason, detail, lines, first_judged_at, last_judged_at)
    VALUES (1, 'Resources', 'needs 4 nodes, 2 fit now', '{}', now(), now()),
           (2, 'Priority', '', '{}', now(), now()),
           (3, 'Resources', 'needs 4 nodes, 2 fit now', '{}', now(), now());
  RETURN NEXT results_eq('SELECT id, why FROM cox.queue ORDER BY id',
    $q$VALUES (1::bigint, 'Resources: needs 4 nodes, 2 fit now'), (2, 'Priority'),
              (3, 'JobHeldUser: held by a user'), (4, 'Priority: not considered yet'),
              (5, 'all ranks run')$q$,
    'a pending job shows why it waits as in cox.waiting, another one its last change');
END $$;

CREATE FUNCTION cox_test.test_the_queue_shows_what_a_job_was_granted_or_asks_for()
  RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM cox_test.drop_not_null_of_jobs();
  INSERT INTO cox.job (id, state, held, qos, attempt, nodes, tasks, cpus_per_task,
                       memory_mb_per_node, gpus_per_node, gpu_milli, started_at, eligible_at,
                       components)
    VALUES (1, 'RUNNING', false, 'standard', 1, 2, 4, 1, 500, 1, 1000, now(), now(), '[]'),
           (2, 'PENDING', false, 'standard', 0, 2, 4, 3, 500, 1, 500, NULL, now() - interval '1 h',
            '[{"nodes": 1, "tasks": 2, "cpus_per_task": 8, "memory_mb_per_node": 100,
               "gpus_per_node": 2, "gpu_milli": 1000}]'),
           (3, 'PENDING', true, 'standard', 0, 1, 1, 1, 0, 0, 1000, NULL, now(), '[]'),
           (4, 'PENDING', false, 'standard', 0, 1, 1, 1, 0, 0, 1000, NULL, now(), '[]'),
           (5, 'PENDING', false, 'standard', 0, 1, 1, 1, 0, 0, 1000, NULL, now() - interval '9 h',
           '[]');
  INSERT INTO cox.attempt (job_id, attempt, master_port, stop_why, stop_ask_checkpoint,
                           stop_grace_ms, stop_kill_wait_ms, stop_detail, began_at, outcome)
    VALUES (1, 1, 1, 'none', false, 0, 0, '', now(), '');
  INSERT INTO cox.attempt_node (job_id, attempt, position, node, phase, first_rank, ranks, cpus,
                                memory_mb, gpus, gpu_milli, revision, note)
    VALUES (1, 1, 0, 'n1', 'running', 0, 1, 6, 800, '{0}', 1000, 1, ''),
           (1, 1, 1, 'n2', 'running', 1, 1, 2, 800, '{1}', 250, 1, '');
  INSERT INTO cox.job_wait (job_id, reason, detail, lines, first_judged_at, last_judged_at,
                            priority, priority_of_age, age_full_s)
    VALUES (2, 'Resources', '', '{}', now(), now(), 100, 1000, 10 * 3600),
           (3, 'JobHeldUser', '', '{}', now(), now(), 100, 0, 0),
           (5, 'Resources', '', '{}', now(), now(), -7, 1000, 3 * 3600);
  RETURN NEXT results_eq('SELECT id, cpus, memory_mb, gpus, priority FROM cox.queue ORDER BY id',
    $q$VALUES (1::bigint, 8::bigint, 1600::bigint, 1.25, NULL::double precision),
              (2, 28, 1100, 3, 200), (3, 1, 0, 0, 0), (4, 1, 0, 0, NULL), (5, 1, 0, 0, 993)$q$,
    'what a job was granted or asks for, and its priority, which grows up to its maximum age');
  INSERT INTO cox.node (name, drained, responding, reason, cpus, memory_mb, features, gpu_index,
                        gpu_type, gpu_uuid, gres, address, log_endpoint, log_key, boot_id, version)
    SELECT name, false, true, '', 4, 9, '{}', types.gpu_index, types.gpu_type, types.gpu_type, '',
           '', '', '', '', ''
      FROM (VALUES ('n1', '{0,1,2}'::integer[], '{l40,h100,l40}'::text[]), ('n2', '{0}', '{""}'),
                   ('n3', '{}', '{}')) AS types (name, gpu_index, gpu_type);
  RETURN NEXT results_eq('SELECT name, gpu_types FROM cox.nodes ORDER BY name',
    $q$VALUES ('n1', '{h100,l40}'::text[]), ('n2', '{}'), ('n3', '{}')$q$, 'each type of GPU once');
END $$;

CREATE FUNCTION cox_test.test_arrays_are_shown_by_their_tasks()
  RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  needed name;
BEGIN
  RETURN NEXT results_eq(
    $q$SELECT cox.tasks_of('0-3,7,8-16:4', -1)$q$,
    $q$SELECT unnest('{0,1,2,3,7,8,12,16}'::bigint[])$q$, 'a row is for the tasks that it lists');
  RETURN NEXT results_eq($q$SELECT cox.tasks_of('', 4)$q$, 'SELECT 4::bigint',
    'a row of one task is for this task');
  RETURN NEXT is(cox.command_id(20, 17, -1, (SELECT string_agg((n * n)::text, ',')
                                            FROM generate_series(1, 40) AS n)),
    '17_1', 'a list of tasks that is too long is shown by its first task');
  PERFORM cox_test.drop_not_null_of_jobs();
  INSERT INTO cox.job (id, state, array_job, array_task, array_tasks, account, ended_at)
    VALUES (19, 'COMPLETED', 19, 0, '', 'physics', now() - interval '3 min'),
           (20, 'FAILED', 19, 3, '', 'physics', now() - interval '2 min'),
           (21, 'CANCELLED', 19, -1, '5-6', 'physics', now() - interval '1 min');
  RETURN NEXT results_eq('SELECT job, array_job, array_task, account FROM cox.history',
    $q$VALUES ('19_[5-6]', 19::bigint, NULL::bigint, 'physics'), ('19_3', 19, 3, 'physics'),
              ('19_0', 19, 0, 'physics')$q$, 'the history shows tasks and lists of tasks');
  INSERT INTO cox.job (id, state, held, array_job, array_task, array_tasks, user_name, name,
                       dependency, dependency_kind, dependency_on, dependency_delay_s,
                       dependency_never, dependency_task)
    VALUES (29, 'PENDING', false, 0, -1, '', 'ada', 'train', '', '{}', '{}', '{}', '{}', '{}'),
           (30, 'PENDING', false, 0, -1, '', 'ada', 'train', 'singleton', '{singleton}', '{0}',
            '{0}', '{f}', '{-1}'),
           (31, 'PENDING', false, 0, -1, '', 'ada', 'all', 'afterok:19', '{afterok}', '{19}', '{0}',
            '{t}', '{-1}'),
           (32, 'PENDING', false, 0, -1, '', 'ada', 'one', 'afterok:19_6', '{afterok}', '{19}',
            '{0}', '{t}', '{6}'),
           (33, 'PENDING', false, 33, -1, '0,9', 'ada', 'each', 'aftercorr:19', '{aftercorr}',
            '{19}', '{0}', '{f}', '{-1}'),
           (34, 'PENDING', false, 33, 3, '', 'ada', 'each', 'aftercorr:19', '{aftercorr}', '{19}',
            '{0}', '{t}', '{-1}'),
           (35, 'PENDING', false, 33, -1, '3,5-6', 'ada', 'each', 'aftercorr:19', '{aftercorr}',
            '{19}', '{0}', '{t}', '{-1}');
  RETURN NEXT results_eq(
    'SELECT job, on_job, on_task, on_row, on_state::text, on_name FROM cox.dependencies',
    $q$VALUES ('30', 29::bigint, NULL::bigint, '29', 'PENDING', 'train'),
              ('31', 19, NULL, '19_3', 'FAILED', NULL), ('32', 19, 6, '19_[5-6]', 'CANCELLED', NULL),
              ('33_[0,9]', 19, NULL, '19_0', 'COMPLETED', NULL), ('33_3', 19, NULL, '19_3', 'FAILED', NULL),
              ('33_[3,5-6]', 19, NULL, '19_3', 'FAILED', NULL)$q$,
    'a dependency shows the task that decides it');
  INSERT INTO cox.job_wait (job_id, reason, detail, lines, first_judged_at, last_judged_at)
    VALUES (31, 'DependencyNeverSatisfied', 'waits in vain', '{waits in vain; cancel it}', now(),
            now());
  RETURN NEXT results_eq('SELECT id, reason, detail, lines FROM cox.waiting WHERE id IN (31, 32)',
    $q$VALUES (31::bigint, 'DependencyNeverSatisfied', 'waits in vain', '{waits in vain; cancel it}'::text[]),
              (32, 'DependencyNeverSatisfied', 'depends on afterok:19_6', '{}')$q$,
    'a job that can never start has an explanation');
END $$;

CREATE FUNCTION cox_test.test_each_kind_of_dependency_shows_the_row_that_decides_it()
  RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM cox_test.drop_not_null_of_jobs();
  INSERT INTO cox.job (id, state, array_job, array_task, array_tasks, started_at, ended_at)
    VALUES (19, 'RUNNING', 19, 5, '', now(), NULL), (20, 'FAILED', 19, 0, '', now(), now()),
           (21, 'RUNNING', 19, 1, '', now(), NULL), (22, 'COMPLETED', 19, 2, '', now(), now()),
           (41, 'COMPLETED', 41, 0, '', now(), now()), (42, 'COMPLETED', 41, 1, '', now(), now());
  INSERT INTO cox.job (id, state, array_job, array_task, array_tasks)
    VALUES (23, 'PENDING', 19, 6, '');
  INSERT INTO cox.job (id, state, held, array_job, array_task, array_tasks, user_name, name,
                       dependency, dependency_kind, dependency_on, dependency_delay_s,
                       dependency_never, dependency_task)
    SELECT v.id, 'PENDING', false, v.array_job, -1, v.tasks, 'ada', 'x', v.kind || ':' || v.on_job,
           ARRAY[v.kind]::cox.dependency_kind[], ARRAY[v.on_job], '{0}', ARRAY[v.never], '{-1}'
      FROM (VALUES (50, 0, '', 'after', 19, false), (51, 0, '', 'afterany', 19, false),
                   (52, 0, '', 'afterok', 19, false), (53, 0, '', 'afternotok', 19, false),
                   (54, 54, '1-2', 'aftercorr', 19, false), (55, 54, '0,6', 'aftercorr', 19, false),
                   (56, 0, '', 'afternotok', 41, true))
        AS v (id, array_job, tasks, kind, on_job, never);
  RETURN NEXT results_eq('SELECT kind::text, on_row, on_state::text FROM cox.dependencies',
    $q$VALUES ('after', '19_6', 'PENDING'), ('afterany', '19_5', 'RUNNING'),
              ('afterok', '19_0', 'FAILED'), ('afternotok', '19_5', 'RUNNING'),
              ('aftercorr', '19_1', 'RUNNING'), ('aftercorr', '19_0', 'FAILED'),
              ('afternotok', '41_0', 'COMPLETED')$q$,
    'the row that has not begun, has not ended, or failed; for aftercorr only partner tasks');
END $$;

CREATE FUNCTION cox_test.test_jobs_that_wait_for_a_time_show_which_one()
  RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM cox_test.drop_not_null_of_jobs();
  INSERT INTO cox.job (id, state, held, array_job, array_task, array_tasks, account, partition,
                       dependency, dependency_kind, dependency_on, dependency_delay_s,
                       dependency_never, dependency_task, started_at, eligible_at)
    VALUES (1, 'RUNNING', false, 0, -1, '', 'physics', 'main', '', '{}', '{}', '{}', '{}', '{}',
            now() - interval '1 min', now()),
           (2, 'PENDING', false, 0, -1, '', 'physics', 'night', 'after:1+5,afterok:1', '{afterok}',
            '{1}', '{0}', '{f}', '{-1}', NULL, now() + interval '4 min'),
           (3, 'PENDING', false, 0, -1, '', '', 'night', 'after:1+5', '{}', '{}', '{}', '{}', '{}',
            NULL, now() + interval '4 min'),
           (4, 'PENDING', false, 0, -1, '', '', 'night', 'after:1+5', '{after}', '{1}', '{300}',
            '{f}', '{-1}', NULL, now());
  RETURN NEXT results_eq(
    'SELECT job, kind::text, on_row, delay_s, due_at - now() FROM cox.dependencies ORDER BY job, kind',
    $q$VALUES ('2', 'after', '1', 300::bigint, interval '4 min'),
              ('2', 'afterok', '1', 0, NULL), ('3', 'after', '1', 300, interval '4 min'),
              ('4', 'after', '1', 300, NULL)$q$, 'a running delay of a dependency has its end');
  RETURN NEXT matches((SELECT detail FROM cox.waiting WHERE id = 3),
    'does not start before .*: 5 min after job 1 began', 'the detail names the delay and the job');
  RETURN NEXT results_eq('SELECT job, account FROM cox.queue WHERE id <= 2 ORDER BY id',
    $q$VALUES ('1', 'physics'), ('2', 'physics')$q$, 'the queue shows jobs and accounts');
  INSERT INTO cox.job_wait (job_id, reason, detail, lines, first_judged_at, last_judged_at)
    VALUES (3, 'PartitionInactive',
            'partition night is closed until 2999-01-01T18:00:00Z (hours nights: Mon 18:00-24:00)',
            '{}', now(), now());
  RETURN NEXT results_eq('SELECT name, closed_until FROM cox.partitions',
    $q$VALUES ('main', NULL), ('night', '2999-01-01T18:00:00Z'::timestamptz)$q$,
    'a partition shows until when it is closed');
END $$;

CREATE FUNCTION cox_test.test_only_accounts_have_quotas_and_quotas_may_vary_by_hours()
  RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  RETURN NEXT is_empty($q$SELECT list FROM unnest(ARRAY['', 'cpu=64', 'gres/gpu:h100=4@nights',
    'gres/gpu:h100=4,gres/gpu:h100=16@nights,gres/gpu:h100=20@week-ends', 'mem=512G@a.b'])
    AS list WHERE NOT cox.is_tres_by_hours(list)$q$, 'valid TRES lists by hours are accepted');
  RETURN NEXT is_empty($q$SELECT list FROM unnest(ARRAY['cpu=1@', 'cpu@nights=1', '@nights',
    'cpu=1@a@b', 'cpu=1@a b', 'cpu=1@-a', 'cpu=1,cpu=2', 'cpu=1@nights,cpu=2@nights', 'cpus=1@nights',
    'cpu=1@nights,']) AS list WHERE cox.is_tres_by_hours(list)$q$, 'others are refused');
  INSERT INTO cox.association (id, account, parent, guarantee, deserved, grp_tres) VALUES
    (2, 'physics', 'root', 'gres/gpu=8', 'gres/gpu=8,gres/gpu=16@nights', 'gres/gpu=32@nights');
  INSERT INTO cox.association (id, account, user_name) VALUES (3, 'physics', 'ada');
  RETURN NEXT results_eq(
    'SELECT account, user_name, guarantee, deserved FROM cox.associations WHERE path <> ''root''',
    $q$VALUES ('physics', NULL, 'gres/gpu=8', 'gres/gpu=8,gres/gpu=16@nights'),
              ('physics', 'ada', '', '')$q$, 'the view shows the quotas');
  RETURN NEXT throws_ok('UPDATE cox.association SET guarantee = ''cpu=1'' WHERE id = 3', '23514',
    NULL, 'users have no quotas');
  RETURN NEXT throws_ok('UPDATE cox.association SET deserved = ''cpu=1'' WHERE id = 3', '23514');
  RETURN NEXT throws_ok('UPDATE cox.association SET guarantee = ''cpu=1@'' WHERE id = 2', '23514');
  RETURN NEXT throws_ok('UPDATE cox.association SET max_tres_per_job = ''cpu=1@nights''', '23514',
    NULL, 'limits of a job do not vary by hours');
END $$;

CREATE FUNCTION cox_test.test_qos_usage_shows_the_use_of_each_qos()
  RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  UPDATE cox.qos SET grp_tres_mins = 'cpu=600', grp_wall_s = 3600 WHERE name = 'critical';
  INSERT INTO cox.qos_used VALUES
    ('critical', '{wall,gres/gpu:h100,cpu}', '{60,90,7200}', '2026-01-01 00:00Z');
  RETURN NEXT results_eq(
    'SELECT qos, max_minutes, max_wall_s, minutes_used, minutes_used_at FROM cox.qos_usage',
    $q$VALUES ('critical', 'cpu=600', 3600::bigint, 'cpu=120,gres/gpu:h100=2,wall=1',
               '2026-01-01 00:00Z'::timestamptz),
              ('standard', '', NULL, NULL, NULL), ('besteffort', '', NULL, NULL, NULL)$q$,
    'use is shown in minutes, beside the limits');
  RETURN NEXT throws_ok($q$INSERT INTO cox.qos_used VALUES ('gold', '{}', '{}', now())$q$, '23503',
    NULL, 'a row must be for a QOS that exists');
  RETURN NEXT throws_ok($q$UPDATE cox.qos_used SET usage_tres = '{cpu}'$q$, '23514');
  INSERT INTO cox.qos (name, tier) VALUES ('night', 0);
  INSERT INTO cox.qos_used VALUES ('night', '{}', '{}', now());
  SET LOCAL cox.removes_qos = 'on';
  RETURN NEXT lives_ok('DELETE FROM cox.qos WHERE name = ''night''',
    'the controller may remove a QOS');
  RETURN NEXT throws_ok('DELETE FROM cox.qos WHERE name = ''standard''', '23001');
  RETURN NEXT results_eq('SELECT qos FROM cox.qos_used', $q$VALUES ('critical')$q$,
    'the use of a removed QOS is removed');
END $$;

CREATE FUNCTION cox_test.test_use_is_counted_as_limits_count_it()
  RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  needed record;
BEGIN
  FOR needed IN SELECT attrelid::regclass AS relation, attname FROM pg_attribute
      WHERE attrelid IN ('cox.job'::regclass, 'cox.attempt'::regclass, 'cox.attempt_node'::regclass)
        AND attnum > 0 AND attnotnull AND attname NOT IN ('id', 'job_id', 'attempt', 'position')
  LOOP
    EXECUTE format('ALTER TABLE %s ALTER %I DROP NOT NULL', needed.relation, needed.attname);
  END LOOP;
  INSERT INTO cox.association (id, account, parent, max_tres_mins_per_job, usage_tres,
                               usage_seconds, usage_at) VALUES
    (2, 'physics', 'root', 'cpu=60', '{cpu,wall}', '{60,60}', '2026-01-01 00:00Z'),
    (3, 'lattice', 'physics', '', '{}', '{}', NULL);
  INSERT INTO cox.association (id, account, user_name, usage_tres, usage_seconds, usage_at) VALUES
    (4, 'lattice', 'ada', '{cpu}', '{540}', '2026-01-02 00:00Z');
  INSERT INTO cox.job (id, state, held, why, attempt, qos, account, user_name, exclusive, nodes,
                       tasks, cpus_per_task, memory_mb_per_node, gpus_per_node, gpu_milli)
    VALUES (1, 'PENDING', false, '', 0, 'standard', 'lattice', 'ada', true, 2, 4, 3, 100, 1, 500);
  INSERT INTO cox.attempt (job_id, attempt, stop_why) VALUES (1, 1, 'none');
  INSERT INTO cox.attempt_node (job_id, attempt, position, node, ranks, cpus, memory_mb, gpus)
    VALUES (1, 1, 0, 'n1', 2, 64, 9000, '{0,1,2,3}'), (1, 1, 1, 'n2', 2, 64, 9000, '{0,1,2,3}');
  RETURN NEXT results_eq(
    'SELECT nodes, cpus, memory_mb, gpus FROM cox.qos_usage WHERE running > 0',
    $q$VALUES (2::bigint, 12::bigint, 200::bigint, 1::numeric), (2, 12, 200, 1)$q$,
    'a limit counts what the job asked for, not its whole nodes');
  RETURN NEXT results_eq(
    'SELECT account, user_name, cpus, gpus, max_tres_mins_per_job, minutes_used, minutes_used_at '
    'FROM cox.associations',
    $q$VALUES ('root', NULL, 12::bigint, 1::numeric, '', 'cpu=10,wall=1',
               '2026-01-02 00:00Z'::timestamptz),
              ('physics', NULL, 12, 1, 'cpu=60', 'cpu=10,wall=1', '2026-01-02 00:00Z'),
              ('lattice', NULL, 12, 1, '', 'cpu=9', '2026-01-02 00:00Z'),
              ('lattice', 'ada', 12, 1, '', 'cpu=9', '2026-01-02 00:00Z')$q$,
    'an account''s use includes that of the accounts and users below it');
  INSERT INTO cox.node (name, drained, responding, reason, cpus, memory_mb, features, gpu_index,
                        gpu_type, gpu_uuid, address, log_endpoint, log_key, boot_id, version)
    SELECT n, false, true, '', 64, 9000, '{}', '{0,1,2,3}', ARRAY[t, t, t, t], '{a,b,c,d}', '', '',
           '', '', '' FROM (VALUES ('n1', 'h100'), ('n2', 'h200')) AS v (n, t);
  UPDATE cox.job SET gres = 'fpga:u280:1', licences = 'matlab:2,ansys', time_limit_s = 120;
  UPDATE cox.attempt_node SET gpu_milli = 1000;
  RETURN NEXT results_eq(
    'SELECT held, minutes_promised FROM cox.associations WHERE account = ''physics''',
    $q$VALUES ('cpu=12,gres/fpga=2,gres/fpga:u280=2,gres/gpu=1,gres/gpu:h100=0.5,gres/gpu:h200=0.5,'
               || 'license/ansys=1,license/matlab=2,mem=200,node=2',
               'cpu=256,gres/fpga=4,gres/fpga:u280=4,gres/gpu=16,gres/gpu:h100=8,gres/gpu:h200=8,'
               || 'license/ansys=2,license/matlab=4,mem=36000,node=4,wall=2')$q$,
    'by each name that a limit may have: held as asked for, minutes for whole nodes as charged');
END $$;

CREATE FUNCTION cox_test.test_an_association_with_a_partition_counts_only_jobs_of_that_partition()
  RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  needed record;
BEGIN
  FOR needed IN SELECT attrelid::regclass AS relation, attname FROM pg_attribute
      WHERE attrelid IN ('cox.job'::regclass, 'cox.attempt'::regclass)
        AND attnum > 0 AND attnotnull AND attname NOT IN ('id', 'job_id', 'attempt')
  LOOP
    EXECUTE format('ALTER TABLE %s ALTER %I DROP NOT NULL', needed.relation, needed.attname);
  END LOOP;
  INSERT INTO cox.association (id, account, parent) VALUES (2, 'lattice', 'root');
  INSERT INTO cox.association (id, account, user_name, partition) VALUES
    (3, 'lattice', 'ada', ''), (4, 'lattice', 'ada', 'vip'), (5, 'lattice', 'bob', 'vip');
  INSERT INTO cox.job (id, state, held, why, attempt, qos, account, user_name, partition,
                       array_tasks)
    VALUES (1, 'PENDING', false, '', 0, 'standard', 'lattice', 'ada', 'main', ''),
           (2, 'PENDING', false, '', 0, 'standard', 'lattice', 'ada', 'main', '0-2'),
           (3, 'PENDING', false, '', 0, 'standard', 'lattice', 'ada', 'short,vip', ''),
           (4, 'PENDING', false, '', 0, 'standard', 'lattice', 'bob', 'main', '');
  INSERT INTO cox.attempt (job_id, attempt, stop_why) VALUES (1, 1, 'none'), (3, 1, 'none');
  RETURN NEXT results_eq(
    'SELECT account, user_name, partition, submitted, running FROM cox.associations',
    $q$VALUES ('root', NULL, NULL, 6::bigint, 2::bigint), ('lattice', NULL, NULL, 6, 2),
              ('lattice', 'ada', NULL, 4, 1), ('lattice', 'ada', 'vip', 1, 1),
              ('lattice', 'bob', 'vip', 0, 0)$q$,
    'a job counts in one row of its user, and always for its account');
END $$;

CREATE FUNCTION cox_test.test_limit_waits_shows_the_jobs_that_wait_for_each_limit()
  RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM cox_test.drop_not_null_of_jobs();
  INSERT INTO cox.job (id, state, held, why, attempt, qos, user_name, nodes, tasks, cpus_per_task,
                       memory_mb_per_node, gpus_per_node, gpu_milli, array_tasks, eligible_at)
    SELECT id, 'PENDING', id = 9, '', 0, 'standard', user_name, 2, 4, 3, 100, 1, 500, array_tasks,
           now()
      FROM (VALUES (1, 'ada', ''), (2, 'bob', '0-3'), (3, 'ada', ''), (4, 'ada', ''),
                   (5, 'eve', ''), (6, 'eve', '1,2'), (7, 'eve', ''), (8, 'bob', ''),
                   (9, 'ada', ''), (10, 'ada', ''), (11, 'ada', ''), (12, 'ada', ''))
        AS v (id, user_name, array_tasks);
  INSERT INTO cox.job_wait (job_id, reason, detail, lines, first_judged_at, last_judged_at)
    SELECT id, reason, detail, '{}', '2026-01-01 00:00Z'::timestamptz + id * interval '1 min', now()
      FROM (VALUES
        (1, 'AssocGrpGRES', 'account physics: GrpTRES gres/gpu:h100 is 4: 3 in use by jobs 21, 22 '
            'of ada, and it asks for 2'),
        (2, 'AssocGrpGRES', 'account physics: GrpTRES gres/gpu:h100 is 4: 3 in use by jobs 21, 22 '
            'of ada, and it asks for 2'),
        (3, 'QOSMaxCpuPerUserLimit',
         'QOS standard: MaxTRESPerUser cpu of user ada is 8: 8 in use by job 23, and it asks for 1'),
        (4, 'QOSMaxJobsPerUserLimit',
         'QOS standard: MaxJobsPerUser of user ada is 1: 1 in use by job 23, and it asks for 1'),
        (5, 'QOSGrpCPUMinutesLimit', 'QOS standard: GrpTRESMins cpu is 120 minutes: 110 minutes used '
            'lately or promised, also to job 23, and it asks for 30 minutes'),
        (6, 'JobArrayTaskLimit',
         'ArrayTaskThrottle of array 6 is 2: 2 in use by jobs 6_0, 6_1, and it asks for 1'),
        (10, 'AssocGrpCpuLimit',
         'account physics: GrpTRES cpu (hours nights) is 6: 6 in use by job 23, and it asks for 1'),
        (11, 'AssocGrpGRES', 'account physics: Deserved gres/gpu for non-preemptible jobs is 2: '
            '2 in use by job 23, and it asks for 1'),
        (12, 'QOSGrpGRES',
         'QOS critical: KeptTRES gres/gpu is 2 of 8: 5 in use by job 23, and it asks for 2'),
        (7, 'QOSGrpCPUMinutesLimit', ''),
        (8, 'Resources', 'needs 4 nodes, 2 fit now'),
        (9, 'QOSGrpCPUMinutesLimit', '')) AS v (id, reason, detail);
  RETURN NEXT results_eq(
    'SELECT reason, owner, limit_name, most, used, jobs FROM cox.limit_waits',
    $q$VALUES
      ('AssocGrpGRES', 'account physics', 'GrpTRES gres/gpu:h100', '4',
       '3 in use by jobs 21, 22 of ada', 5::bigint),
      ('JobArrayTaskLimit', 'array 6', 'ArrayTaskThrottle', '2', '2 in use by jobs 6_0, 6_1', 2),
      ('AssocGrpCpuLimit', 'account physics', 'GrpTRES cpu (hours nights)', '6',
       '6 in use by job 23', 1),
      ('AssocGrpGRES', 'account physics',
       'Deserved gres/gpu for non-preemptible jobs', '2', '2 in use by job 23', 1),
      ('QOSGrpCPUMinutesLimit', 'QOS standard', 'GrpTRESMins cpu', '120 minutes',
       '110 minutes used lately or promised, also to job 23', 1),
      ('QOSGrpCPUMinutesLimit', NULL, NULL, NULL, NULL, 1),
      ('QOSGrpGRES', 'QOS critical', 'KeptTRES gres/gpu', '2 of 8', '5 in use by job 23', 1),
      ('QOSMaxCpuPerUserLimit', 'QOS standard, user ada', 'MaxTRESPerUser cpu', '8',
       '8 in use by job 23', 1),
      ('QOSMaxJobsPerUserLimit', 'QOS standard, user ada', 'MaxJobsPerUser', '1',
       '1 in use by job 23', 1)$q$,
    'each limit with the jobs that wait for it, without held jobs and jobs that wait for resources');
  RETURN NEXT results_eq(
    'SELECT users, user_names, first_job, since, nodes, cpus, memory_mb, gpus FROM cox.limit_waits '
    'WHERE owner = ''account physics'' AND jobs = 5',
    $q$VALUES (2::bigint, ARRAY['ada', 'bob'], 1::bigint, '2026-01-01 00:01Z'::timestamptz,
               10::bigint, 60::bigint, 1000::bigint, 5::numeric)$q$,
    'the users, the first job, the time since when, and what the jobs ask for in sum');
END $$;

CREATE FUNCTION cox_test.test_wrong_sql_is_refused_with_a_sentence()
  RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  RETURN NEXT throws_ok($q$UPDATE cox.qos SET max_tres_per_user = 'gpu=16' WHERE name = 'standard'$q$,
    '23514', 'max_tres_per_user of QOS standard is "gpu=16", which is not a valid TRES list');
  RETURN NEXT throws_ok($q$CALL cox.sacctmgr(E' \n\t')$q$, '23514', 'the command is empty');
  RETURN NEXT throws_ok($q$CALL cox.sacctmgr(repeat('x', 131073))$q$, '23514',
    'the command has 131073 characters; the limit is 131072');
  RETURN NEXT lives_ok($q$INSERT INTO cox.request (command) VALUES (repeat('x', 131072))$q$,
    'a request may have 131072 characters');
  INSERT INTO cox.node (name, drained, responding, reason, cpus, memory_mb, features, gpu_index,
                        gpu_type, gpu_uuid, gres, address, log_endpoint, log_key, boot_id, version)
    VALUES ('n1', false, true, '', 4, 9, '{}', '{0,1}', '{h100,h100}', '{a,b}', 'fpga:u280:2,nic:1',
            '', '', '', '', '');
  RETURN NEXT results_eq('SELECT name FROM cox.gres_there_is() ORDER BY name',
    $q$VALUES ('gres/fpga'), ('gres/fpga:u280'), ('gres/gpu'), ('gres/gpu:h100'), ('gres/nic')$q$,
    'the generic resources of the nodes, which a limit may name without a warning');
  RETURN NEXT lives_ok($q$UPDATE cox.qos SET grp_tres = 'gres/gpuu=16' WHERE name = 'standard'$q$,
    'a limit for a resource that no node has is accepted with a warning');
END $$;

CREATE FUNCTION cox_test.test_the_history_shows_what_jobs_asked_for_and_used()
  RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM cox_test.drop_not_null_of_jobs();
  INSERT INTO cox.job (id, state, ended_at, nodes, tasks, cpus_per_task, memory_mb_per_node,
                       gpus_per_node, gpu_milli, components, time_limit_s)
    VALUES (50, 'COMPLETED', now(), 2, 4, 3, 100, 1, 500, '[]', 3600),
           (51, 'COMPLETED', now(), 2, 4, 3, 100, 1, 1000,
            '[{"nodes": 1, "tasks": 2, "cpus_per_task": 2, "memory_mb_per_node": 50,
               "gpus_per_node": 3, "gpu_milli": 1000}]', 0);
  RETURN NEXT results_eq(
    'SELECT id, time_limit, nodes, tasks, cpus, memory_mb, gpus, cpu_seconds_used, max_rss_mb
       FROM cox.history ORDER BY id',
    $q$VALUES (50::bigint, interval '1 h', 2::bigint, 4::bigint, 12::bigint, 200::bigint, 1::numeric,
               NULL::bigint, NULL::bigint), (51, NULL, 3, 6, 16, 250, 5, NULL, NULL)$q$,
    'all components count, and a job without an attempt has used nothing');
  PERFORM cox_test.drop_not_null_of('cox.attempt', '{job_id,attempt}');
  PERFORM cox_test.drop_not_null_of('cox.attempt_node', '{job_id,attempt,position}');
  PERFORM cox_test.drop_not_null_of('cox.step', '{job_id,attempt,number}');
  INSERT INTO cox.attempt (job_id, attempt, began_at, went_at, ended_at)
    VALUES (50, 1, now(), now(), now()), (50, 2, now(), now(), now());
  INSERT INTO cox.attempt_node (job_id, attempt, position, cpus, gpus, user_cpu_ms, system_cpu_ms,
                                max_rss_kb)
    VALUES (50, 1, 0, 6, '{}', 1000, 500, 2048), (50, 1, 1, 6, '{}', 2000, 0, 1024),
           (50, 2, 0, 12, '{}', 3000, 0, 1000);
  INSERT INTO cox.step (job_id, attempt, number, state, user_cpu_ms, system_cpu_ms, max_rss_kb,
                        created_at, ended_at)
    VALUES (50, 2, 0, 'COMPLETED', 4000, 500, 3000, now(), now());
  RETURN NEXT results_eq('SELECT cpu_seconds_used, max_rss_mb FROM cox.history WHERE id = 50',
    'SELECT 11::bigint, 3::bigint', 'all attempts, nodes and steps count');
END $$;

CREATE FUNCTION cox_test.test_the_id_of_a_deleted_job_is_not_issued_again()
  RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM cox_test.drop_not_null_of_jobs();
  UPDATE cox.turn SET job_id_floor = 1;
  INSERT INTO cox.job (id) VALUES (70), (71), (72);
  DELETE FROM cox.job WHERE id > 70;
  RETURN NEXT is((SELECT job_id_floor FROM cox.turn), 73::bigint, 'one above the deleted ids');
  DELETE FROM cox.job WHERE id = 70;
  RETURN NEXT is((SELECT job_id_floor FROM cox.turn), 73::bigint, 'it never becomes lower');
  INSERT INTO cox.job (id) VALUES (80);
  TRUNCATE cox.job CASCADE;
  RETURN NEXT is((SELECT job_id_floor FROM cox.turn), 81::bigint, 'after TRUNCATE, too');
END $$;

CREATE FUNCTION cox_test.test_the_turn_has_its_time_and_its_transaction()
  RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  UPDATE cox.turn SET turn_at = NULL;
  PERFORM cox.begin_turn(term, turn + 1, session) FROM cox.turn;
  RETURN NEXT ok((SELECT turn_at >= now() FROM cox.turn), 'begin_turn writes when the turn began');
  RETURN NEXT ok((SELECT written_by = pg_current_xact_id() FROM cox.turn),
    'the row has the transaction that wrote it');
END $$;

CREATE FUNCTION cox_test.test_the_accuracy_of_estimated_starts_is_shown()
  RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  RETURN NEXT has_fk('cox', 'job_wait', 'each row of job_wait belongs to a job');
  RETURN NEXT results_eq('SELECT starts, error_s_median, close_share FROM cox.estimate_accuracy',
    'SELECT 0::bigint, NULL::double precision, NULL::numeric',
    'without starts there is no accuracy');
  ALTER TABLE cox.start_estimate DROP CONSTRAINT start_estimate_job_id_fkey;
  INSERT INTO cox.start_estimate
    SELECT n, 1, t, t + make_interval(secs => off), t - make_interval(secs => 1000)
      FROM (VALUES (1, 0), (2, 60), (3, -50), (4, 900)) AS v (n, off),
           (VALUES ('2026-01-01 00:00:00Z'::timestamptz)) AS w (t);
  RETURN NEXT results_eq(
    'SELECT starts, error_s_median, error_s_p90::integer, round(close_share, 2)
       FROM cox.estimate_accuracy',
    'SELECT 4::bigint, 55::double precision, 648, 0.75', 'three of four estimates were close');
END $$;

SELECT * FROM runtests('cox_test'::name, '^test_');
