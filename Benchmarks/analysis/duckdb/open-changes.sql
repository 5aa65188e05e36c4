-- One row for each change, of all stores.
CREATE OR REPLACE VIEW changes AS
SELECT store, "transaction", timestamp, CAST(timestamp AS DATE) AS day,
  author, bundle, process, context, change, kind, entity, pk,
  attributes, tombstone
FROM read_json('changes/*/*.changes.jsonl.zst',
  format = 'newline_delimited',
  columns = {type: 'VARCHAR', store: 'VARCHAR', "transaction": 'BIGINT',
    timestamp: 'TIMESTAMP', author: 'VARCHAR', bundle: 'VARCHAR',
    process: 'VARCHAR', context: 'VARCHAR', change: 'BIGINT',
    kind: 'VARCHAR', entity: 'VARCHAR', pk: 'BIGINT',
    attributes: 'VARCHAR[]', tombstone: 'MAP(VARCHAR, VARCHAR)'})
WHERE type = 'change';

-- One row for each attribute that an update touched.
CREATE OR REPLACE VIEW touched AS
SELECT * EXCLUDE (attributes), unnest(attributes) AS attribute
FROM changes;
