-- A file for each store, and for each store and day.
COPY (SELECT * EXCLUDE (changes) FROM saves ORDER BY store, "transaction")
TO 'parquet-saves' (FORMAT parquet, PARTITION_BY (store));

COPY (SELECT * FROM changes ORDER BY store, day, change)
TO 'parquet-changes' (FORMAT parquet, PARTITION_BY (store, day));
