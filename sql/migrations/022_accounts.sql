-- Accounts with their users, by Slurm's names; and what administrators ask for by SQL.
-- Bounds as common/syntax/tres.cpp has them; also of what is used in minutes.
CREATE OR REPLACE FUNCTION cox.is_tres(list text)
  RETURNS boolean LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog AS $$
  SELECT list = '' OR (
    SELECT bool_and(one ~ '^((cpu|node)=[0-9]{1,15}'
                          '|mem=([0-9]{1,15}M?|[0-9]{1,12}G|[0-9]{1,9}T|[0-9]{1,6}P)'
                          '|gres/gpu(:[A-Za-z0-9][A-Za-z0-9_.-]{0,62})?=[0-9]{1,12}(\.[0-9]{1,3})?'
                          '|gres/(?!gpu[:=])[A-Za-z0-9][A-Za-z0-9_.-]{0,62}'
                          '(:[A-Za-z0-9][A-Za-z0-9_.-]{0,62})?=[0-9]{1,15}'
                          '|license/[A-Za-z0-9][A-Za-z0-9_.-]{0,62}=[0-9]{1,15})$')
           AND count(*) <= 32 AND count(*) = count(DISTINCT split_part(one, '=', 1))
      FROM unnest(string_to_array(list, ',')) AS one)
$$;

-- A tier may go once no job that has not ended has it.
CREATE OR REPLACE FUNCTION cox.keep_qos()
  RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.name = OLD.name THEN
      RETURN NEW;
    END IF;
  ELSIF TG_OP = 'DELETE' THEN
    IF OLD.name <> 'standard'
       AND NOT EXISTS (SELECT FROM cox.job j WHERE j.qos = OLD.name AND j.ended_at IS NULL) THEN
      RETURN OLD;
    END IF;
  END IF;
  RAISE EXCEPTION 'a QOS that jobs have, or may have, can be neither deleted nor renamed'
    USING ERRCODE = '23001', HINT = 'Change its other columns, or add another.';
END $$;
COMMENT ON FUNCTION cox.keep_qos() IS 'Keeps every tier that jobs have: cox.job refers to it.';
COMMENT ON COLUMN cox.job.qos IS
  'Its tier: a row of cox.qos, which is there at least until the job has ended.';

CREATE TABLE cox.association (
  id bigint PRIMARY KEY CHECK (id > 0),
  account text NOT NULL CHECK (account <> ''),
  user_name text NOT NULL DEFAULT '',
  partition text NOT NULL DEFAULT '',
  parent text NOT NULL DEFAULT '',
  shares bigint NOT NULL DEFAULT 1 CHECK (shares >= 0),
  shares_of_parent boolean NOT NULL DEFAULT false,
  is_default boolean NOT NULL DEFAULT false,
  qos text[] NOT NULL DEFAULT '{}',
  default_qos text NOT NULL DEFAULT '',
  description text NOT NULL DEFAULT '',
  organization text NOT NULL DEFAULT '',
  grp_tres text NOT NULL DEFAULT '' CHECK (cox.is_tres(grp_tres)),
  grp_jobs bigint CHECK (grp_jobs >= 0),
  grp_submit_jobs bigint CHECK (grp_submit_jobs >= 0),
  grp_tres_mins text NOT NULL DEFAULT '' CHECK (cox.is_tres(grp_tres_mins)),
  grp_wall_s bigint CHECK (grp_wall_s >= 0),
  max_tres_per_job text NOT NULL DEFAULT '' CHECK (cox.is_tres(max_tres_per_job)),
  max_tres_mins_per_job text NOT NULL DEFAULT '' CHECK (cox.is_tres(max_tres_mins_per_job)),
  max_jobs bigint CHECK (max_jobs >= 0),
  max_submit_jobs bigint CHECK (max_submit_jobs >= 0),
  max_wall_s bigint CHECK (max_wall_s BETWEEN 1 AND 366 * 24 * 3600),
  usage_tres text[] NOT NULL DEFAULT '{}',
  usage_seconds double precision[] NOT NULL DEFAULT '{}',
  usage_at timestamptz,
  UNIQUE (account, user_name, partition),
  CONSTRAINT association_usage_is_parallel
    CHECK (cardinality(usage_tres) = cardinality(usage_seconds)),
  CONSTRAINT association_is_one_of_both CHECK (
    CASE WHEN user_name = '' THEN partition = '' AND NOT is_default AND (parent = '') = (account = 'root')
         ELSE parent = '' END));
COMMENT ON TABLE cox.association IS
  'The tree of accounts, and the users in them: whom jobs are charged to. Changed by CALL '
  'cox.sacctmgr(...) or the command sacctmgr; what is written here by hand is not followed.';
COMMENT ON COLUMN cox.association.id IS 'Its number.';
COMMENT ON COLUMN cox.association.account IS 'The account.';
COMMENT ON COLUMN cox.association.user_name IS 'A user of it; empty: the account itself.';
COMMENT ON COLUMN cox.association.partition IS
  'Of a user: for jobs in this partition alone; empty: in any.';
COMMENT ON COLUMN cox.association.parent IS 'The account that it is part of; empty of root, and of users.';
COMMENT ON COLUMN cox.association.shares IS 'Fairshare: what it is entitled to, beside its siblings.';
COMMENT ON COLUMN cox.association.shares_of_parent IS
  'Fairshare=parent: it stands where its parent stands.';
COMMENT ON COLUMN cox.association.is_default IS
  'Of a user: jobs that name no account are charged to this one.';
COMMENT ON COLUMN cox.association.qos IS 'The tiers its jobs may have; empty: as the account above.';
COMMENT ON COLUMN cox.association.default_qos IS
  'The tier of jobs that name none; empty: as the account above.';
COMMENT ON COLUMN cox.association.description IS 'For people.';
COMMENT ON COLUMN cox.association.organization IS 'For people.';
COMMENT ON COLUMN cox.association.grp_tres IS
  'What its jobs, and those of all below it, may have together while they run.';
COMMENT ON COLUMN cox.association.grp_jobs IS 'How many of them may run; null: any number.';
COMMENT ON COLUMN cox.association.grp_submit_jobs IS
  'How many of them may wait or run; more are refused; null: any number.';
COMMENT ON COLUMN cox.association.grp_tres_mins IS
  'What they may use, in minutes of each; use that is longer ago counts less.';
COMMENT ON COLUMN cox.association.grp_wall_s IS
  'How long they may run, added up likewise, in seconds; null: any time.';
COMMENT ON COLUMN cox.association.max_tres_per_job IS
  'What a job may ask for; empty: as the account above.';
COMMENT ON COLUMN cox.association.max_tres_mins_per_job IS
  'The same times its time limit, in minutes.';
COMMENT ON COLUMN cox.association.max_jobs IS
  'How many jobs of a user may run; null: as the account above.';
COMMENT ON COLUMN cox.association.max_submit_jobs IS
  'How many jobs of a user may wait or run; null: as the account above.';
COMMENT ON COLUMN cox.association.max_wall_s IS
  'The longest time limit in seconds; null: as the account above.';
COMMENT ON COLUMN cox.association.usage_tres IS
  'What its ended attempts used: of what. Halved with each half-life since usage_at.';
COMMENT ON COLUMN cox.association.usage_seconds IS 'How much, in seconds of each, in the same order.';
COMMENT ON COLUMN cox.association.usage_at IS 'When that was added up; null: nothing was used.';
INSERT INTO cox.association (id, account) VALUES (1, 'root');

CREATE TABLE cox.request (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  asked_at timestamptz NOT NULL DEFAULT now(),
  asked_by text NOT NULL DEFAULT session_user,
  command text NOT NULL CHECK (length(command) BETWEEN 1 AND 8192),
  answered_at timestamptz,
  refused boolean,
  lines text[] NOT NULL DEFAULT '{}');
CREATE INDEX request_unanswered ON cox.request (id) WHERE answered_at IS NULL;
COMMENT ON TABLE cox.request IS
  'What administrators asked for, by CALL cox.sacctmgr(...) or by the command sacctmgr, and what '
  'became of it. The controller answers a row within a second.';
COMMENT ON COLUMN cox.request.id IS 'Its number.';
COMMENT ON COLUMN cox.request.asked_at IS 'When it was asked.';
COMMENT ON COLUMN cox.request.asked_by IS 'By whom: a role of the database, or a user.';
COMMENT ON COLUMN cox.request.command IS 'The words, as sacctmgr takes them.';
COMMENT ON COLUMN cox.request.answered_at IS 'When it was answered; null: not yet.';
COMMENT ON COLUMN cox.request.refused IS 'Whether nothing of it was done; null: not yet answered.';
COMMENT ON COLUMN cox.request.lines IS 'What was done, or why not.';

CREATE PROCEDURE cox.sacctmgr(command text)
  LANGUAGE plpgsql AS $$
DECLARE
  asked bigint;
  answer cox.request;
  line text;
BEGIN
  INSERT INTO cox.request (command) VALUES (sacctmgr.command) RETURNING id INTO asked;
  COMMIT;
  FOR i IN 1..600 LOOP
    SELECT * INTO answer FROM cox.request r WHERE r.id = asked;
    EXIT WHEN answer.answered_at IS NOT NULL;
    PERFORM pg_sleep(0.05);
    COMMIT;
  END LOOP;
  IF answer.answered_at IS NULL THEN
    RAISE EXCEPTION 'request % is not answered yet: is the controller running?', asked
      USING HINT = 'It stays asked. See SELECT * FROM cox.request, or delete the row.';
  ELSIF answer.refused THEN
    RAISE EXCEPTION '%', array_to_string(answer.lines, E'\n');
  END IF;
  FOREACH line IN ARRAY answer.lines LOOP
    RAISE NOTICE '%', line;
  END LOOP;
END $$;
COMMENT ON PROCEDURE cox.sacctmgr(text) IS
  'Changes accounts, users and tiers: CALL cox.sacctmgr(''add account physics fairshare=10''). Waits '
  'for the answer, so it is not to be called inside a transaction.';

CREATE VIEW cox.associations AS
  WITH RECURSIVE tree AS (
    SELECT a.*, 0 AS depth, ARRAY[a.account] AS path FROM cox.association a WHERE a.account = 'root'
      AND a.user_name = ''
    UNION ALL
    SELECT a.*, t.depth + 1, t.path || a.account FROM cox.association a
      JOIN tree t ON a.parent = t.account AND a.user_name = '' AND t.depth < 32),
  live AS (
    SELECT j.account, j.user_name, sum(cox.task_count(j.array_tasks)) AS submitted,
           count(h.job_id) AS running,
           coalesce(sum(h.cpus), 0)::bigint AS cpus, coalesce(sum(h.gpus), 0) AS gpus
      FROM cox.job j
      LEFT JOIN (
        SELECT a.job_id, sum(n.cpus) AS cpus,
               sum(cardinality(n.gpus) * n.gpu_milli) / 1000.0 AS gpus
          FROM cox.attempt a
          JOIN cox.attempt_node n ON n.job_id = a.job_id AND n.attempt = a.attempt
          WHERE a.ended_at IS NULL
          GROUP BY a.job_id) h ON h.job_id = j.id
      WHERE j.ended_at IS NULL
      GROUP BY j.account, j.user_name)
  SELECT array_to_string(t.path, '/') AS path, a.account, nullif(a.user_name, '') AS user_name,
         nullif(a.partition, '') AS partition, a.shares, a.shares_of_parent, a.is_default,
         l.submitted, l.running, l.cpus, trim_scale(l.gpus) AS gpus,
         a.grp_tres, a.grp_jobs, a.grp_submit_jobs, a.grp_tres_mins, a.grp_wall_s,
         a.max_tres_per_job, a.max_jobs, a.max_submit_jobs, a.max_wall_s, a.qos, a.default_qos
    FROM tree t
    JOIN cox.association a ON a.account = t.account
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(live.submitted), 0)::bigint AS submitted,
             coalesce(sum(live.running), 0)::bigint AS running,
             coalesce(sum(live.cpus), 0)::bigint AS cpus, coalesce(sum(live.gpus), 0) AS gpus
        FROM live
        JOIN tree below ON below.account = live.account
        WHERE CASE WHEN a.user_name = '' THEN below.path[:t.depth + 1] = t.path
                   ELSE live.account = a.account AND live.user_name = a.user_name END) l
    ORDER BY t.path, a.user_name, a.partition;
COMMENT ON VIEW cox.associations IS
  'The tree of accounts: who may use how much, and who does now. Of an account all below it count.';
COMMENT ON COLUMN cox.associations.path IS 'Where the account stands: root/physics/lattice.';
COMMENT ON COLUMN cox.associations.account IS 'The account.';
COMMENT ON COLUMN cox.associations.user_name IS 'A user of it; null: the account itself.';
COMMENT ON COLUMN cox.associations.partition IS 'Of a user: in this partition alone; null: in any.';
COMMENT ON COLUMN cox.associations.shares IS 'What it is entitled to, beside its siblings.';
COMMENT ON COLUMN cox.associations.shares_of_parent IS 'It stands where its parent stands.';
COMMENT ON COLUMN cox.associations.is_default IS 'Jobs that name no account are charged to it.';
COMMENT ON COLUMN cox.associations.submitted IS 'Jobs that wait or run.';
COMMENT ON COLUMN cox.associations.running IS 'Those of them that hold room.';
COMMENT ON COLUMN cox.associations.cpus IS 'CPUs that they hold.';
COMMENT ON COLUMN cox.associations.gpus IS 'GPUs that they hold; parts of one count as parts.';
COMMENT ON COLUMN cox.associations.grp_tres IS 'What they may hold; empty: all there is.';
COMMENT ON COLUMN cox.associations.grp_jobs IS 'How many may run; null: any number.';
COMMENT ON COLUMN cox.associations.grp_submit_jobs IS 'How many may wait or run; null: any number.';
COMMENT ON COLUMN cox.associations.grp_tres_mins IS 'What they may have used lately, in minutes.';
COMMENT ON COLUMN cox.associations.grp_wall_s IS 'How long they may have run lately, in seconds.';
COMMENT ON COLUMN cox.associations.max_tres_per_job IS 'What a job may ask for.';
COMMENT ON COLUMN cox.associations.max_jobs IS 'How many jobs of a user may run.';
COMMENT ON COLUMN cox.associations.max_submit_jobs IS 'How many jobs of a user may wait or run.';
COMMENT ON COLUMN cox.associations.max_wall_s IS 'The longest time limit, in seconds.';
COMMENT ON COLUMN cox.associations.qos IS 'The tiers its jobs may have; empty: as the account above.';
COMMENT ON COLUMN cox.associations.default_qos IS 'The tier of jobs that name none.';
SELECT cox.grant_reader();
