-- Inserts or updates the usage of QOSes.
INSERT INTO cox.qos_used SELECT * FROM unnest($1::cox.qos_used[])
ON CONFLICT (qos) DO UPDATE SET
  usage_tres = EXCLUDED.usage_tres, usage_seconds = EXCLUDED.usage_seconds,
  usage_at = EXCLUDED.usage_at;
