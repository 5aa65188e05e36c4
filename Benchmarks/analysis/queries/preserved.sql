-- How many deleted objects left something behind, and how many values?
SELECT entity, count(*) AS deleted,
  sum(CASE WHEN cardinality(tombstone) > 0 THEN 1 ELSE 0 END)
    AS with_values,
  sum(coalesce(cardinality(tombstone), 0)) AS preserved_values
FROM changes
WHERE kind = 'delete'
GROUP BY entity
ORDER BY deleted DESC, entity;
