-- Who saves how much on which day, over all stores?
SELECT day, author, count(*) AS saves, sum(size) AS changes
FROM saves
GROUP BY day, author
ORDER BY day, author;
