WITH
  pauses AS (
    SELECT ZTIMESTAMP - lag(ZTIMESTAMP) OVER (ORDER BY Z_PK) AS seconds FROM ATRANSACTION),
  ranked AS (
    SELECT seconds, row_number() OVER (ORDER BY seconds) AS place, count(*) OVER () AS total
    FROM pauses WHERE seconds IS NOT NULL)
SELECT (SELECT Z_UUID FROM Z_METADATA) AS store, count(*) AS pauses,
  sum(round(seconds, 6) < 1) AS under_a_second,
  avg(CASE WHEN place IN ((total + 1) / 2, (total + 2) / 2) THEN seconds END) AS typical,
  max(seconds) AS longest
FROM ranked
HAVING count(*) > 0;
