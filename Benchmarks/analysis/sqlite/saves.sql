SELECT (SELECT Z_UUID FROM Z_METADATA) AS store, count(*) AS saves,
  (SELECT count(*) FROM ACHANGE) AS changes,
  date(min(ZTIMESTAMP) + 978307200, 'unixepoch') AS first_day,
  date(max(ZTIMESTAMP) + 978307200, 'unixepoch') AS last_day
FROM ATRANSACTION
HAVING count(*) > 0;
