CREATE OR REPLACE PROCEDURE cox.sacctmgr(command text)
  LANGUAGE plpgsql AS $$
DECLARE
  asked bigint;
  answer cox.request;
  line text;
BEGIN
  IF coalesce(length(trim(sacctmgr.command, E' \t\r\n')), 0) = 0 THEN
    RAISE EXCEPTION 'the command is empty'
      USING ERRCODE = '23514',
            HINT = 'Example: CALL cox.sacctmgr(''modify account physics set grptres=cpu=64'').';
  ELSIF length(sacctmgr.command) > 131072 THEN
    RAISE EXCEPTION 'the command has % characters; the limit is 131072', length(sacctmgr.command)
      USING ERRCODE = '23514', HINT = 'Split it into several calls.';
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
    RAISE EXCEPTION 'request % has no answer after 30 s: is the controller running?', asked
      USING HINT = 'It stays in cox.request until the controller answers it. To withdraw it, delete the row.';
  ELSIF answer.refused THEN
    RAISE EXCEPTION '%', array_to_string(answer.lines, E'\n');
  END IF;
  FOREACH line IN ARRAY answer.lines LOOP
    RAISE NOTICE '%', line;
  END LOOP;
END $$;
COMMENT ON PROCEDURE cox.sacctmgr(text) IS
  'Changes accounts, users and QOSes: CALL cox.sacctmgr(''add account physics fairshare=10''). A text of '
  'several lines has one request per line; all of them are carried out, or none. It waits up to 30 s for '
  'the answer, so it must not be called inside a transaction.';
