"""Syncs an index with its table every 15 minutes, and compares a sample of rows.

Workers have `lhs`, credentials, and the definition with `storage`; the index was built once.
"""

from datetime import datetime, timedelta

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

DEFINITION = "/opt/airflow/dags/incidents.yaml"
# workers share no data folder: each run has a new one
RUN = f"export LHS_DATA_DIR=$(mktemp -d) && lhs index create {DEFINITION} && "

with DAG(
    "sync_incidents",
    schedule="*/15 * * * *",
    start_date=datetime(2026, 1, 1),
    catchup=False,
    max_active_runs=1,
    default_args={"retry_delay": timedelta(minutes=1)},
):
    # retries: 5 another writer was first, 7 unreachable. 8: rows differ
    sync = BashOperator(task_id="sync", retries=2, bash_command=RUN + "lhs index sync incidents")
    verify = BashOperator(
        task_id="verify",
        bash_command=RUN + "lhs index sync incidents && lhs index verify incidents --sample 1000",
    )
    sync >> verify
