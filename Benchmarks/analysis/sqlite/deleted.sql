SELECT e.Z_NAME AS entity,
  (SELECT k.value FROM preserved k JOIN titles n ON n.entity = e.Z_NAME AND n.slot = k.slot
   WHERE k.change = c.Z_PK) AS name,
  count(*) AS deleted, max(date(t.ZTIMESTAMP + 978307200, 'unixepoch')) AS last_day
FROM ACHANGE c LEFT JOIN Z_PRIMARYKEY e ON e.Z_ENT = c.ZENTITY
  JOIN ATRANSACTION t ON t.Z_PK = c.ZTRANSACTIONID
WHERE c.ZCHANGETYPE = 2
GROUP BY 1, 2;
