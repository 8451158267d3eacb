"""An Airflow connection to `tidemark serve`. NOT RUN HERE with Airflow, which could not be installed: only with stand-ins
for its base classes (tests/test_stand_ins.py)."""

from __future__ import annotations

from airflow.sdk import BaseHook  # Airflow 2: from airflow.hooks.base import BaseHook

from tidemark_client import TidemarkClient


class TidemarkHook(BaseHook):
    """
    Give the connection the type `http`; its host is `tidemark serve`, its password the token.

    :param tidemark_conn_id: the connection
    """

    conn_name_attr = "tidemark_conn_id"
    default_conn_name = "tidemark_default"
    conn_type = "http"
    hook_name = "Tidemark"

    def __init__(self, tidemark_conn_id: str = default_conn_name) -> None:
        super().__init__()
        self.tidemark_conn_id = tidemark_conn_id

    def get_conn(self) -> TidemarkClient:
        """Make a client."""
        connection = self.get_connection(self.tidemark_conn_id)
        host = connection.host or ""
        scheme = connection.schema or "http"
        url = host if "://" in host else f"{scheme}://{host}"
        return TidemarkClient(f"{url}:{connection.port}" if connection.port else url, token=connection.password)
