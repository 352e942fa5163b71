-- Returns the current term and turn, the first job id that was never issued, new random text for
-- job_identity() (controller/change/recovery.h), and whether an attempt was ever recorded.
SELECT term, turn,
       greatest(job_id_floor, (SELECT max(id) + 1 FROM cox.job)) AS next_job,
       gen_random_uuid() AS identity_seed,
       EXISTS (SELECT FROM cox.attempt) AS has_attempts
  FROM cox.turn;
