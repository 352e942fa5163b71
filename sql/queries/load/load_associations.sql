-- Returns the tree of accounts, parents before their children; then users.
WITH RECURSIVE tree AS (
  SELECT account, 0 AS depth FROM cox.association WHERE user_name = '' AND parent = ''
  UNION ALL
  SELECT a.account, t.depth + 1 FROM cox.association a
    JOIN tree t ON a.parent = t.account AND a.user_name = '' AND t.depth < 1000)
SELECT a.* FROM cox.association a JOIN tree t USING (account)
  ORDER BY a.user_name <> '', t.depth, a.id;
