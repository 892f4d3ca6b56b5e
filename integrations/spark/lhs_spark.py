"""Runs the tasks of `lhs build plan` on Spark, one Spark task each.

With spark-submit in client mode:   spark-submit --files ./lhs lhs_spark.py tasks.jsonl > results.jsonl
In a session (notebooks, jobs):     results = lhs_spark.run_tasks(spark, tasks, lhs="/path/of/lhs")

Executors run the file `lhs` that Spark ships (the single executable of a release), or else `lhs` in
their PATH. It reads the table and writes to the storage of the index, so it needs credentials in the
environment of the executors: those of the machine (instance roles, workload identity), or variables
(`spark.executorEnv.AWS_ACCESS_KEY_ID`, `spark.kubernetes.executor.secretKeyRef.…`).

Its memory is outside the JVM: spark.executor.memoryOverhead must have the tasks' `--memory` and
150 MiB for each core of an executor.

Tasks may run again or twice: retries, speculation and dynamic allocation need no care.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys

from pyspark import AccumulatorParam, SparkConf, SparkFiles
from pyspark.sql import SparkSession

PROGRAM = "lhs"
# exit codes of faults that another attempt meets again: invalid, not found, denied, changed
LASTING = (2, 3, 4, 5)


class _Lines(AccumulatorParam):
    """Lines of ended tasks. The driver passes each on as its task ends, executors only collect."""

    def __init__(self, on_line=None):
        self.on_line = on_line

    def __reduce__(self):
        return (_Lines, ())

    def zero(self, value):
        return []

    def addInPlace(self, lines, more):
        for line in more if self.on_line else ():
            self.on_line(line)
        lines.extend(more)
        return lines


def _end_with_worker():
    # Spark kills its Python worker when it gives up a task: PR_SET_PDEATHSIG
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def _program(name):
    shipped = SparkFiles.get(name)
    if not os.path.isfile(shipped):
        return name
    if not os.access(shipped, os.X_OK):
        os.chmod(shipped, 0o755)
    return shipped


def _run_task(line, program):
    """The result of a task, or its error if that is a lasting one. Spark repeats what it raises."""
    # the users of executors often have no home where lhs could cache
    cache = os.path.join(os.path.abspath(SparkFiles.getRootDirectory()), "lhs-cache")
    task = subprocess.Popen(
        [_program(program), "build", "task", "--json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={"XDG_CACHE_HOME": cache, **os.environ},
        start_new_session=True,
        preexec_fn=_end_with_worker if sys.platform == "linux" else None,
    )
    printed, log = task.communicate(line + "\n")
    sys.stderr.write(log)
    if task.returncode == 0 or (task.returncode in LASTING and printed):
        return printed.strip()
    raise RuntimeError(f"lhs ended with exit code {task.returncode}: {printed or log[-2000:]}")


def run_tasks(spark, tasks, lhs=None, on_result=None):
    """Returns the results of tasks (lines of `lhs build plan`), as `lhs build commit` reads them.

    lhs: the executable to ship to the executors; None: `lhs` is in their PATH, or Spark ships it.
    on_result: called with each result as its task ends. Raises RuntimeError for a fault of the index
    or the table, and what Spark raises for a task that has failed several times.
    """
    context = spark.sparkContext
    context.addPyFile(__file__)
    program = os.path.basename(lhs or PROGRAM)
    if lhs is not None:
        context.addFile(lhs)
    tasks = [line for line in tasks if line.strip()]
    results = context.accumulator([], _Lines(on_result))

    def run(lines):
        for line in lines:
            results.add([_run_task(line, program)])

    if tasks:
        context.parallelize(tasks, len(tasks)).foreachPartition(run)
    for line in results.value:
        if line.startswith('{"error"'):
            raise RuntimeError(json.loads(line)["error"]["message"])
    return results.value


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        tasks = file.read().split("\n")
    conf = SparkConf().setIfMissing("spark.app.name", "lhs build")
    conf.setIfMissing("spark.speculation", "true")
    conf.setIfMissing("spark.log.level", "WARN")
    spark = SparkSession.builder.config(conf=conf).getOrCreate()
    run_tasks(spark, tasks, on_result=lambda line: print(line, flush=True))
    spark.stop()


if __name__ == "__main__":
    main()
