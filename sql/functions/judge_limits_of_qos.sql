-- When the limits of a QOS are changed by SQL, raises the same errors and warnings as sacctmgr.
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
      RAISE EXCEPTION '% of QOS % is "%", which is not a valid TRES list',
                      said.limit_name, NEW.name, said.list
        USING ERRCODE = '23514',
              HINT = 'Example: cpu=64,mem=512G,gres/gpu=8. Valid names are cpu, mem, node, gres/NAME, '
                     'gres/NAME:TYPE and license/NAME; do not write spaces.';
    END IF;
    FOR thing IN
      SELECT t.name FROM unnest(string_to_array(said.list, ',')) AS one
        CROSS JOIN LATERAL (SELECT split_part(one, '=', 1) AS name) t
        WHERE t.name LIKE 'gres/%' AND one !~ '=0(\.0*)?$' AND EXISTS (SELECT FROM cox.node)
          AND t.name NOT IN (SELECT g.name FROM cox.gres_there_is() g)
    LOOP
      RAISE WARNING 'the cluster has no %, which % of QOS % limits', thing, said.limit_name, NEW.name
        USING HINT = coalesce('It has ' || (SELECT string_agg(g.name, ', ' ORDER BY g.name)
                                              FROM cox.gres_there_is() g) || '.',
                              'It has no GPUs and no other GRES.');
    END LOOP;
  END LOOP;
  RETURN NEW;
END $$;
COMMENT ON FUNCTION cox.judge_limits_of_qos() IS
  'Refuses invalid limits, and warns of limits on GRES that no node has. It cannot check licences, which '
  'are not in the database; sacctmgr does.';

CREATE OR REPLACE TRIGGER judge_limits BEFORE INSERT OR UPDATE ON cox.qos
  FOR EACH ROW EXECUTE FUNCTION cox.judge_limits_of_qos();
