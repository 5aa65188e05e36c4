# `spark` is the session: that of pyspark, or
# SparkSession.builder.getOrCreate().
spark.conf.set("spark.sql.session.timeZone", "UTC")
(spark.read.option("mode", "FAILFAST").schema("""
    type STRING, store STRING, transaction BIGINT, timestamp TIMESTAMP,
    author STRING, bundle STRING, process STRING, context STRING,
    changes ARRAY<STRUCT<change: BIGINT, kind: STRING, entity: STRING,
      pk: BIGINT, attributes: ARRAY<STRING>,
      tombstone: MAP<STRING, STRING>>>""")
 .json("exports/*/*.jsonl.gz")
 .where("type = 'transaction'")
 .selectExpr("store", "transaction", "timestamp",
             "to_date(timestamp) AS day",
             "unix_micros(timestamp) AS micros",
             "author", "bundle", "process", "context",
             "size(changes) AS size", "changes")
 .createOrReplaceTempView("saves"))
(spark.table("saves")
 .selectExpr("store", "transaction", "timestamp", "day", "author",
             "bundle", "process", "context", "inline(changes)")
 .createOrReplaceTempView("changes"))
(spark.table("changes")
 .selectExpr("*", "explode(attributes) AS attribute")
 .drop("attributes")
 .createOrReplaceTempView("touched"))
