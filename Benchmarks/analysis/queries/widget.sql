-- How many objects do the app and its widget change, and how many both?
SELECT store, count(*) AS objects, sum(by_app) AS by_app,
  sum(by_widget) AS by_widget, sum(by_app * by_widget) AS by_both
FROM (
  SELECT store, entity, pk,
    max(CASE WHEN author = 'app' THEN 1 ELSE 0 END) AS by_app,
    max(CASE WHEN author = 'widget' THEN 1 ELSE 0 END) AS by_widget
  FROM changes
  GROUP BY store, entity, pk) AS objects
GROUP BY store
ORDER BY objects DESC, store;
