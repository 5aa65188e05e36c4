from deltalake import DeltaTable

for name in ("saves", "changes"):
    files = DeltaTable(f"delta-{name}").file_uris()
    database.execute(f"""
        CREATE OR REPLACE VIEW {name} AS
        SELECT * FROM read_parquet({files},
          hive_partitioning = true, hive_types = {{store: VARCHAR}})""")
database.execute("""
    CREATE OR REPLACE VIEW touched AS
    SELECT * EXCLUDE (attributes), unnest(attributes) AS attribute
    FROM changes""")
