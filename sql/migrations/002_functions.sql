-- What the controller's turns rely on inside the database, and what keeps the history in order.

-- An UPDATE, so that the row stays locked until the turn commits: a second controller, or this one
-- after it lost its connection, waits here and then finds out.
CREATE FUNCTION cox.begin_turn(our_term bigint, our_turn bigint, our_session bigint)
  RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  found_row cox.turn;
BEGIN
  UPDATE cox.turn SET turn = our_turn
    WHERE term = our_term AND session = our_session AND turn = our_turn - 1;
  IF FOUND THEN
    RETURN;
  END IF;
  SELECT * INTO found_row FROM cox.turn;
  RAISE EXCEPTION
    'superseded: we are at term % turn % session %, the database at term % turn % session %',
    our_term, our_turn, our_session, found_row.term, found_row.turn, found_row.session
    USING ERRCODE = 'CX001';
END $$;
COMMENT ON FUNCTION cox.begin_turn(bigint, bigint, bigint) IS
  'First in every turn: raises CX001 unless term, turn and session are ours.';

-- In a pipeline a client sees a short count only after COMMIT: so the database itself must object.
CREATE FUNCTION cox.expect_rows(what text, expected bigint, changed bigint)
  RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF changed IS DISTINCT FROM expected THEN
    RAISE EXCEPTION 'guard: % of % rows of cox.% were in the state they should leave',
      changed, expected, what USING ERRCODE = 'CX002';
  END IF;
END $$;
COMMENT ON FUNCTION cox.expect_rows(text, bigint, bigint) IS
  'Raises CX002 (the whole turn is undone) when a guarded update met fewer rows than it should.';

-- What cannot be made now (rows of that month are in the default partition, or a reader holds its
-- lock) is passed over: the default partition takes the events, and the next call tries again.
CREATE FUNCTION cox.create_event_partitions(since timestamptz, months integer)
  RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  month timestamp := date_trunc('month', since AT TIME ZONE 'UTC');
  partition_name text;
BEGIN
  FOR ahead IN 0..months LOOP
    partition_name := 'job_event_' || to_char(month, 'YYYY_MM');
    IF to_regclass('cox.' || partition_name) IS NULL THEN
      BEGIN
        EXECUTE format(
          'CREATE TABLE cox.%I PARTITION OF cox.job_event FOR VALUES FROM (%L) TO (%L)',
          partition_name, to_char(month, 'YYYY-MM-DD') || ' 00:00:00+00',
          to_char(month + interval '1 month', 'YYYY-MM-DD') || ' 00:00:00+00');
        EXECUTE format('COMMENT ON TABLE cox.%I IS %L', partition_name,
          'Events of ' || to_char(month, 'YYYY-MM') || '; drop it to forget them.');
      EXCEPTION WHEN check_violation OR lock_not_available OR insufficient_privilege THEN
        RAISE NOTICE 'no partition % of cox.job_event now: %', partition_name, SQLERRM;
      END;
    END IF;
    month := month + interval '1 month';
  END LOOP;
END $$;
COMMENT ON FUNCTION cox.create_event_partitions(timestamptz, integer) IS
  'Creates the month partitions of cox.job_event from a time on, so many months ahead.';

CREATE FUNCTION cox.refuse_to_rewrite_history()
  RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  RAISE EXCEPTION 'cox.job_event is append-only'
    USING ERRCODE = '23001', HINT = 'To forget old months, drop their partitions.';
END $$;
COMMENT ON FUNCTION cox.refuse_to_rewrite_history() IS 'Keeps cox.job_event append-only.';
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON cox.job_event
  FOR EACH ROW EXECUTE FUNCTION cox.refuse_to_rewrite_history();
