-- Returns all nodes.
SELECT * FROM cox.node ORDER BY name;
