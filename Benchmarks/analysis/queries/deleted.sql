-- What was deleted, by the names that were preserved?
SELECT entity, coalesce(tombstone['name'], tombstone['title'],
    tombstone['destination']) AS name,
  count(*) AS deleted, max(day) AS last_day
FROM changes
WHERE kind = 'delete'
GROUP BY 1, 2
ORDER BY deleted DESC, entity, name;
