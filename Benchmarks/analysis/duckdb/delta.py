# `database` is the connection: that of duckdb.connect().
from deltalake import write_deltalake

for name, columns in (("saves", "* EXCLUDE (changes)"), ("changes", "*")):
    write_deltalake(f"delta-{name}",
                    database.sql(f"SELECT {columns} FROM {name}"),
                    partition_by=["store"], mode="overwrite")
