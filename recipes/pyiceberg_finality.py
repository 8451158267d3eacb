"""The finality of an Iceberg table with PyIceberg. NOT RUN HERE: PyIceberg could not be installed; only compiled.

    table = load_catalog("lake").load_table("db.orders")
    print(finality_of(table).answer(*span("2026-01-01T10")))

It only hands what PyIceberg has read to `tidemark_iceberg`, whose tests run on metadata files; the same
answers and the same limits.
"""

from __future__ import annotations

import json

from pyiceberg.table import Table

from tidemark_iceberg import Finality, from_metadata, span

__all__ = ["finality_of", "span"]


def finality_of(table: Table, branch: str = "main") -> Finality:
    """What a branch says now."""
    table.refresh()
    # PyIceberg's models write themselves as the JSON of the metadata file.
    return from_metadata(json.loads(table.metadata.model_dump_json(by_alias=True)), branch)
