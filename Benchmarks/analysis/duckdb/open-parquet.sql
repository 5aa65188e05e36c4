CREATE OR REPLACE VIEW saves AS
SELECT * FROM read_parquet('parquet-saves/**/*.parquet',
  hive_partitioning = true, hive_types = {store: VARCHAR});

CREATE OR REPLACE VIEW changes AS
SELECT * FROM read_parquet('parquet-changes/**/*.parquet',
  hive_partitioning = true, hive_types = {store: VARCHAR, day: DATE});

CREATE OR REPLACE VIEW touched AS
SELECT * EXCLUDE (attributes), unnest(attributes) AS attribute
FROM changes;
