-- The controller reckons with these numbers: beyond the bounds they would overflow.
UPDATE cox.qos
  SET tier = least(greatest(tier, -1000000), 1000000), grace_ms = least(grace_ms, 31622400000)
  WHERE tier NOT BETWEEN -1000000 AND 1000000 OR grace_ms > 31622400000;
ALTER TABLE cox.qos
  ADD CONSTRAINT qos_tier_bounds CHECK (tier BETWEEN -1000000 AND 1000000),
  ADD CONSTRAINT qos_grace_bounds CHECK (grace_ms <= 31622400000);  -- 366 days
