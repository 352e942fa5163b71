-- Returns the current term and turn, the first job id that was never issued, and new random text
-- for job_identity() (controller/change/recovery.h).
SELECT term, turn,
       greatest(job_id_floor, (SELECT max(id) + 1 FROM cox.job)) AS next_job,
       gen_random_uuid() AS identity_seed
  FROM cox.turn;
