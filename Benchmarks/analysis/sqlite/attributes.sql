-- Bit 0 of a mask is the highest of its first byte.
WITH set_bits AS (
  SELECT c.Z_PK, s.entity, s.attribute,
    (instr('0123456789ABCDEF', substr(hex(c.ZCOLUMNS), 1 + s.slot / 4, 1)) - 1)
      >> (3 - s.slot % 4) & 1 AS is_set
  FROM ACHANGE c JOIN Z_PRIMARYKEY e ON e.Z_ENT = c.ZENTITY
    JOIN slots s ON s.entity = e.Z_NAME
  WHERE c.ZCHANGETYPE = 1 AND length(c.ZCOLUMNS) > s.slot / 8)
SELECT entity, attribute, count(DISTINCT Z_PK) AS updates
FROM set_bits
WHERE is_set
GROUP BY entity, attribute;
