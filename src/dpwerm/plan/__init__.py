"""Before any data is touched: what a study may expect, from public facts and simulation alone."""
