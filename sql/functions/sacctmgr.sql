CREATE OR REPLACE PROCEDURE cox.sacctmgr(command text)
  LANGUAGE plpgsql AS $$
DECLARE
  asked bigint;
  answer cox.request;
  line text;
BEGIN
  IF coalesce(length(trim(sacctmgr.command, E' \t\r\n')), 0) = 0 THEN
    RAISE EXCEPTION 'it says nothing'
      USING ERRCODE = '23514',
            HINT = 'Write it like CALL cox.sacctmgr(''modify account physics set grptres=cpu=64'').';
  ELSIF length(sacctmgr.command) > 131072 THEN
    RAISE EXCEPTION 'it has % characters; the limit is 131072', length(sacctmgr.command)
      USING ERRCODE = '23514', HINT = 'Divide it into several calls.';
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
COMMENT ON PROCEDURE cox.sacctmgr(text) IS
  'Changes accounts, users and tiers: CALL cox.sacctmgr(''add account physics fairshare=10''). A text '
  'of several lines has one request a line; they are done together or not at all. Waits for the '
  'answer, so it is not to be called inside a transaction.';
