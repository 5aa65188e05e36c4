-- One row for each save, of all stores.
CREATE OR REPLACE VIEW saves AS
SELECT store, "transaction", timestamp, CAST(timestamp AS DATE) AS day,
  epoch_us(timestamp) AS micros, author, bundle, process, context,
  len(changes) AS size, changes
FROM read_json('exports/*/*.jsonl.zst',
  format = 'newline_delimited', maximum_object_size = 134217728,
  columns = {type: 'VARCHAR', store: 'VARCHAR', "transaction": 'BIGINT',
    timestamp: 'TIMESTAMP', author: 'VARCHAR', bundle: 'VARCHAR',
    process: 'VARCHAR', context: 'VARCHAR',
    changes: 'STRUCT(change BIGINT, kind VARCHAR, entity VARCHAR,
      pk BIGINT, attributes VARCHAR[], tombstone MAP(VARCHAR, VARCHAR))[]'})
WHERE type = 'transaction';

-- One row for each change.
CREATE OR REPLACE VIEW changes AS
SELECT store, "transaction", timestamp, day, author, bundle, process,
  context, unnest(changes, max_depth := 2)
FROM saves;

-- One row for each attribute that an update touched.
CREATE OR REPLACE VIEW touched AS
SELECT * EXCLUDE (attributes), unnest(attributes) AS attribute
FROM changes;
