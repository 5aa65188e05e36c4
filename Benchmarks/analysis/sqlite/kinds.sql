SELECT e.Z_NAME AS entity,
  CASE c.ZCHANGETYPE WHEN 0 THEN 'insert' WHEN 1 THEN 'update' WHEN 2 THEN 'delete' END AS kind,
  count(*) AS changes, 1 AS stores
FROM ACHANGE c LEFT JOIN Z_PRIMARYKEY e ON e.Z_ENT = c.ZENTITY
GROUP BY 1, 2;
