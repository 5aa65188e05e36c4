-- How much was saved in each store, and when?
SELECT store, count(*) AS saves, sum(size) AS changes,
  min(day) AS first_day, max(day) AS last_day
FROM saves
GROUP BY store
ORDER BY saves DESC, store;
