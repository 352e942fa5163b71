-- What preemption does to the jobs of a tier: one word where there were two switches. Who was not
-- asked to save has nothing to save in, so that the words mean for every tier what the switches did.
CREATE TYPE cox.preempt_mode AS ENUM ('checkpoint', 'requeue', 'cancel', 'off');

ALTER TABLE cox.qos
  ADD COLUMN preempt_mode cox.preempt_mode NOT NULL DEFAULT 'checkpoint',
  ADD COLUMN preempt_weight bigint CHECK (preempt_weight BETWEEN 1 AND 1000),
  ADD COLUMN preempt_exempt_time_s bigint
    CHECK (preempt_exempt_time_s BETWEEN 0 AND 365 * 24 * 3600);
UPDATE cox.qos SET
  preempt_mode = (CASE WHEN NOT preemptable THEN 'off' WHEN checkpoint THEN 'checkpoint'
                       ELSE 'requeue' END)::cox.preempt_mode,
  grace_ms = CASE WHEN checkpoint THEN grace_ms ELSE 0 END;
ALTER TABLE cox.qos
  DROP COLUMN preemptable,
  DROP COLUMN checkpoint,
  ALTER COLUMN grace_ms SET DEFAULT 60000;

COMMENT ON COLUMN cox.qos.grace_ms IS
  'Milliseconds to save in, before SIGTERM (checkpoint, off); from SIGTERM to SIGKILL, 0: as '
  'kill_wait says (requeue, cancel). Slurm''s GraceTime.';
COMMENT ON COLUMN cox.qos.preempt_mode IS
  'What preemption does to its jobs: checkpoint: asked to save, then requeued; requeue: stopped '
  'without that and requeued; cancel: stopped, and they end PREEMPTED; off: never preempted.';
COMMENT ON COLUMN cox.qos.preempt_weight IS
  'What its jobs lose by preemption counts so many times, 1 to 1000; null: the tier and one.';
COMMENT ON COLUMN cox.qos.preempt_exempt_time_s IS
  'An attempt runs at least so many seconds before it is preempted; null: as preempt_exempt_time.';
