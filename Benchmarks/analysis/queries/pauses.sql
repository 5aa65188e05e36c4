-- How much time is there between two saves, in seconds?
SELECT store, count(*) AS pauses,
  sum(CASE WHEN micros < 1000000 THEN 1 ELSE 0 END) AS under_a_second,
  median(micros) / 1e6 AS typical, max(micros) / 1e6 AS longest
FROM (
  SELECT store, micros - lag(micros)
    OVER (PARTITION BY store ORDER BY transaction) AS micros
  FROM saves) AS pauses
WHERE micros IS NOT NULL
GROUP BY store
ORDER BY typical, store;
