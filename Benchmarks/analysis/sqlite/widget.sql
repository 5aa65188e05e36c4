WITH objects AS (
  SELECT c.ZENTITY, c.ZENTITYPK, max(a.author IS 'app') AS by_app,
    max(a.author IS 'widget') AS by_widget
  FROM ACHANGE c JOIN authors a ON a.saved = c.ZTRANSACTIONID
  GROUP BY 1, 2)
SELECT (SELECT Z_UUID FROM Z_METADATA) AS store, count(*) AS objects, sum(by_app) AS by_app,
  sum(by_widget) AS by_widget, sum(by_app AND by_widget) AS by_both
FROM objects
HAVING count(*) > 0;
