"""The paper's tables and figures from finished runs, for the documentation of this repository; not installed."""
