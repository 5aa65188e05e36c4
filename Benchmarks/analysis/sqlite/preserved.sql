SELECT e.Z_NAME AS entity, count(*) AS deleted, sum(k.value_count > 0) AS with_values,
  sum(k.value_count) AS preserved_values
FROM ACHANGE c JOIN preserved_counts k ON k.change = c.Z_PK
  LEFT JOIN Z_PRIMARYKEY e ON e.Z_ENT = c.ZENTITY
WHERE c.ZCHANGETYPE = 2
GROUP BY 1;
