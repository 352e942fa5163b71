-- The nodes.
SELECT * FROM cox.node ORDER BY name;
