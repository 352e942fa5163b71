-- What people say by SQL is answered in sentences, and doubted as sacctmgr doubts it.
CREATE FUNCTION cox.judge_limits_of_qos()
  RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  said record;
  thing text;
BEGIN
  FOR said IN
    SELECT n.key AS limit_name, n.value AS list
      FROM jsonb_each_text(to_jsonb(NEW)) AS n
      WHERE n.key IN ('grp_tres', 'max_tres_per_user', 'max_tres_per_job', 'min_tres_per_job',
                      'grp_tres_mins', 'kept_tres')
        AND (TG_OP = 'INSERT' OR n.value IS DISTINCT FROM to_jsonb(OLD) ->> n.key)
  LOOP
    IF NOT cox.is_tres(said.list) THEN
      RAISE EXCEPTION '% of QOS % is "%", which is no list of things with their numbers',
                      said.limit_name, NEW.name, said.list
        USING ERRCODE = '23514',
              HINT = 'Write it like cpu=64,mem=512G,gres/gpu=8; there is cpu, mem, node, gres/NAME, '
                     'gres/NAME:TYPE, license/NAME, each with a number, and no spaces.';
    END IF;
    FOR thing IN
      SELECT t.name FROM unnest(string_to_array(said.list, ',')) AS one
        CROSS JOIN LATERAL (SELECT split_part(one, '=', 1) AS name) t
        WHERE t.name LIKE 'gres/%' AND one !~ '=0(\.0*)?$' AND EXISTS (SELECT FROM cox.node)
          AND t.name NOT IN (SELECT g.name FROM cox.gres_there_is() g)
    LOOP
      RAISE WARNING 'the cluster has no %, which % of QOS % counts', thing, said.limit_name, NEW.name
        USING HINT = coalesce('It has ' || (SELECT string_agg(g.name, ', ' ORDER BY g.name)
                                              FROM cox.gres_there_is() g) || '.',
                              'It has nothing of the kind.');
    END LOOP;
  END LOOP;
  RETURN NEW;
END $$;
COMMENT ON FUNCTION cox.judge_limits_of_qos() IS
  'Refuses limits that cannot be read, and warns of those on GRES that no node has. Of licences the '
  'database knows nothing: sacctmgr warns of them too.';

CREATE FUNCTION cox.gres_there_is()
  RETURNS TABLE (name text) LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
  SELECT DISTINCT t.name
    FROM cox.node n
    CROSS JOIN LATERAL (
      SELECT 'gres/gpu' AS name FROM unnest(n.gpu_index)
      UNION ALL SELECT 'gres/gpu:' || g FROM unnest(n.gpu_type) AS g WHERE g <> ''
      UNION ALL SELECT unnest(ARRAY['gres/' || m[1], 'gres/' || m[1] || ':' || m[2]])
        FROM regexp_matches(n.gres, '([^:,]+)(?::([^:,]+))?:(\d+)', 'g') AS m) t
    WHERE t.name IS NOT NULL
$$;
COMMENT ON FUNCTION cox.gres_there_is() IS 'GPUs and other GRES of all nodes, as limits name them.';
CREATE TRIGGER judge_limits BEFORE INSERT OR UPDATE ON cox.qos
  FOR EACH ROW EXECUTE FUNCTION cox.judge_limits_of_qos();

CREATE OR REPLACE PROCEDURE cox.sacctmgr(command text)
  LANGUAGE plpgsql AS $$
DECLARE
  asked bigint;
  answer cox.request;
  line text;
BEGIN
  IF coalesce(length(trim(sacctmgr.command)), 0) NOT BETWEEN 1 AND 8192 THEN
    RAISE EXCEPTION 'it says %', CASE WHEN length(trim(sacctmgr.command)) > 8192
        THEN 'more than 8192 characters, the limit' ELSE 'nothing' END
      USING ERRCODE = '23514',
            HINT = 'Write it like CALL cox.sacctmgr(''modify account physics set grptres=cpu=64'').';
  END IF;
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

COMMENT ON COLUMN cox.waiting.detail IS
  'Why, with numbers. Moments in it are UTC (2026-01-01T18:00:00Z), whatever the session''s time zone '
  'is; the columns beside it are shown in the session''s.';
COMMENT ON COLUMN cox.waiting.lines IS 'All of it, as cox why tells it; moments in UTC likewise.';
SELECT cox.grant_reader();
