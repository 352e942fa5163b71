-- Event triggers (strigger): programs that the controller runs when something happens.
CREATE TYPE cox.trigger_event AS ENUM ('down', 'up', 'drained', 'draining', 'idle', 'resume',
  'fini', 'time', 'primary_slurmctld_resumed_operation');
COMMENT ON TYPE cox.trigger_event IS 'What an event trigger waits for.';

CREATE TABLE cox.event_trigger (
  id bigint PRIMARY KEY CHECK (id > 0),
  event cox.trigger_event NOT NULL,
  job_id bigint NOT NULL CHECK (job_id >= 0),
  nodes text[] NOT NULL,
  offset_s bigint NOT NULL,
  program text NOT NULL CHECK (program LIKE '/%'),
  permanent boolean NOT NULL,
  user_name text NOT NULL,
  uid bigint NOT NULL,
  gid bigint NOT NULL,
  set_at timestamptz NOT NULL,
  due_at timestamptz,
  happened_on text[] NOT NULL
);
COMMENT ON TABLE cox.event_trigger IS
  'Event triggers that are set (strigger). A row goes in the transaction that decides to run its '
  'program, unless it is permanent.';
COMMENT ON COLUMN cox.event_trigger.id IS 'Its number.';
COMMENT ON COLUMN cox.event_trigger.event IS 'The event that it waits for.';
COMMENT ON COLUMN cox.event_trigger.job_id IS 'The job, or the job whose nodes are meant; 0: none.';
COMMENT ON COLUMN cox.event_trigger.nodes IS
  'The nodes that are meant; empty: all, or all of the job.';
COMMENT ON COLUMN cox.event_trigger.offset_s IS
  'Seconds between the event and the run of the program; negative: before the event.';
COMMENT ON COLUMN cox.event_trigger.program IS
  'The path of the program on the controller''s host, and its arguments.';
COMMENT ON COLUMN cox.event_trigger.permanent IS 'It stays when its event has happened.';
COMMENT ON COLUMN cox.event_trigger.user_name IS 'The user who set the trigger. The program runs as this user.';
COMMENT ON COLUMN cox.event_trigger.uid IS 'The uid of that user.';
COMMENT ON COLUMN cox.event_trigger.gid IS 'The gid of the process that set it.';
COMMENT ON COLUMN cox.event_trigger.set_at IS 'When it was set.';
COMMENT ON COLUMN cox.event_trigger.due_at IS
  'When its program is to run; null: its event has not happened.';
COMMENT ON COLUMN cox.event_trigger.happened_on IS 'The nodes to which the event has happened.';

-- The controller keeps a copy in memory, and a row decides what runs as which user.
CREATE TRIGGER refuse_direct_write BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE
  ON cox.event_trigger FOR EACH STATEMENT
  EXECUTE FUNCTION cox.refuse_direct_write('Use strigger --set or strigger --clear.');
SELECT cox.grant_reader();
