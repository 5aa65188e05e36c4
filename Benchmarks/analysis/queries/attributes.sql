-- Which attributes are updated most?
SELECT entity, attribute, count(*) AS updates
FROM touched
GROUP BY entity, attribute
ORDER BY updates DESC, entity, attribute;
