"""Fakes and contract suites, shipped for third-party adapters and backends."""
