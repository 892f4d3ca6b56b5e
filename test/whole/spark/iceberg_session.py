"""Writes an Iceberg table with deletes that readers merge, prints its rows, runs tasks over it."""

import json
import sys

import lhs_spark
from pyspark.sql import SparkSession

warehouse, jar, program = sys.argv[1:]
spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.log.level", "ERROR")
    .config("spark.sql.shuffle.partitions", "2")
    .config("spark.jars", jar)
    .config("spark.sql.catalog.ice", "org.apache.iceberg.spark.SparkCatalog")
    .config("spark.sql.catalog.ice.type", "hadoop")
    .config("spark.sql.catalog.ice.warehouse", warehouse)
    .config(
        "spark.sql.extensions",
        "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    )
    .getOrCreate()
)
spark.sql(
    "CREATE TABLE ice.db.t (id BIGINT, body STRING) USING iceberg TBLPROPERTIES ("
    "'format-version'='2', 'write.delete.mode'='merge-on-read', "
    "'write.update.mode'='merge-on-read')"
)
for begin in range(0, 200, 100):
    spark.sql(
        f"INSERT INTO ice.db.t SELECT id, concat('night train ', id) FROM range({begin}, {begin + 100})"
    )
spark.sql("DELETE FROM ice.db.t WHERE id % 7 = 3")
# from here on deletes are deletion vectors
spark.sql("ALTER TABLE ice.db.t SET TBLPROPERTIES ('format-version'='3')")
spark.sql("UPDATE ice.db.t SET body = 'changed' WHERE id % 11 = 5")
print(json.dumps([row.asDict() for row in spark.table("ice.db.t").collect()]), flush=True)

tasks = json.loads(sys.stdin.read())
print(json.dumps(lhs_spark.run_tasks(spark, tasks, lhs=program)), flush=True)
