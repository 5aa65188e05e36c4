-- What happens to which entity, and in how many stores?
SELECT entity, kind, count(*) AS changes,
  count(DISTINCT store) AS stores
FROM changes
GROUP BY entity, kind
ORDER BY changes DESC, entity, kind;
