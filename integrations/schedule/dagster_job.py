"""Syncs an index with its table every 15 minutes, and compares a sample of rows. The machine has
`lhs`, credentials, and the index in its data folder (`lhs index apply`)."""

import subprocess

from dagster import Definitions, Failure, RetryRequested, ScheduleDefinition, job, op


def lhs(command):
    code = subprocess.run(["lhs", *command.split()]).returncode
    if code in (5, 7):  # another writer was first, unreachable
        raise RetryRequested(max_retries=2, seconds_to_wait=60)
    if code != 0:  # 8: rows differ
        raise Failure(f"lhs {command} ended with exit code {code}")


@op
def sync_index():
    lhs("index sync incidents")
    lhs("index verify incidents --sample 1000")


@job
def sync_incidents():
    sync_index()


schedule = ScheduleDefinition(job=sync_incidents, cron_schedule="*/15 * * * *")
definitions = Definitions(schedules=[schedule])
