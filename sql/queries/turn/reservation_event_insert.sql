-- Inserts events of advance reservations.
INSERT INTO cox.reservation_event (reservation, at, what, actor)
  SELECT w.reservation, w.at, w.what, w.actor FROM unnest($1::cox.reservation_event[]) AS w;
