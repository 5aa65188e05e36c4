spark.conf.set("spark.sql.session.timeZone", "UTC")
(spark.read.option("mode", "FAILFAST").schema("""
    type STRING, store STRING, transaction BIGINT, timestamp TIMESTAMP,
    author STRING, bundle STRING, process STRING, context STRING,
    change BIGINT, kind STRING, entity STRING, pk BIGINT,
    attributes ARRAY<STRING>, tombstone MAP<STRING, STRING>""")
 .json("changes/*/*.changes.jsonl.gz")
 .where("type = 'change'")
 .selectExpr("store", "transaction", "timestamp",
             "to_date(timestamp) AS day",
             "author", "bundle", "process", "context", "change", "kind",
             "entity", "pk", "attributes", "tombstone")
 .createOrReplaceTempView("changes"))
(spark.table("changes")
 .selectExpr("*", "explode(attributes) AS attribute")
 .drop("attributes")
 .createOrReplaceTempView("touched"))
