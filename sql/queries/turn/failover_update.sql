-- Updates failovers with what has become known of their losses.
UPDATE cox.failover f
  SET jobs_lost = w.jobs_lost, attempts_lost = w.attempts_lost, settled_at = w.settled_at
  FROM unnest($1::cox.failover[]) AS w
  WHERE f.term = w.term AND f.to_timeline = w.to_timeline;
