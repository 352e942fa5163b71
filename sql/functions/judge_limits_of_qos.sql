-- Mistakes of a change by SQL are answered in sentences, and doubted as sacctmgr doubts them.
CREATE OR REPLACE FUNCTION cox.judge_limits_of_qos()
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

CREATE OR REPLACE TRIGGER judge_limits BEFORE INSERT OR UPDATE ON cox.qos
  FOR EACH ROW EXECUTE FUNCTION cox.judge_limits_of_qos();
