"""Run the recipes in Spark, and print what they say as JSON.

    in_spark.py FOLDER OPEN SUFFIX QUERY... [-- FOLDER OPEN SUFFIX QUERY...]

One program for several of them, because a session takes long to begin. OPEN is a recipe of spark/,
SUFFIX what the names of the exports end in or `lake`, FOLDER where the recipe finds them.
"""
import decimal
import itertools
import json
import os
import sys

from pyspark.sql import SparkSession

HERE = os.path.dirname(os.path.abspath(__file__))


def recipe(*place):
    with open(os.path.join(HERE, *place), encoding="utf-8") as file:
        return file.read()


def plain(value):
    return float(value) if isinstance(value, decimal.Decimal) else str(value)


def run(spark, folder, name, suffix, *queries):
    text = recipe("spark", name + ".py")
    # Spark finds the folders of stores and months itself.
    if suffix == "lake":
        text = text.replace("exports/*/*.jsonl.gz", "exports")
    else:
        text = text.replace(".jsonl.gz", ".jsonl." + suffix)
    # Spark's own folder was chosen when it began.
    for place in ("exports", "changes/", "parquet-"):
        text = text.replace(f'"{place}', f'"{os.path.join(folder, place)}')
    exec(compile(text, name, "exec"), {"spark": spark})
    return {query: [list(row) for row in
                    spark.sql(recipe("queries", query + ".sql").rstrip().rstrip(";")).collect()]
            for query in queries}


def main():
    spark = (SparkSession.builder.master("local[*]").appName("histctl")
             .config("spark.ui.enabled", "false")
             .config("spark.driver.bindAddress", "127.0.0.1")
             .config("spark.driver.host", "127.0.0.1")
             .config("spark.sql.shuffle.partitions", "4")
             .getOrCreate())
    spark.sparkContext.setLogLevel("ERROR")
    runs = [list(group) for isnot, group in itertools.groupby(
        sys.argv[1:], lambda word: word == "--") if not isnot]
    json.dump([run(spark, *arguments) for arguments in runs], sys.stdout, default=plain)
    spark.stop()


if __name__ == "__main__":
    main()
