SELECT date(t.ZTIMESTAMP + 978307200, 'unixepoch') AS day, a.author, count(*) AS saves,
  sum((SELECT count(*) FROM ACHANGE c WHERE c.ZTRANSACTIONID = t.Z_PK)) AS changes
FROM ATRANSACTION t JOIN authors a ON a.saved = t.Z_PK
GROUP BY 1, 2;
