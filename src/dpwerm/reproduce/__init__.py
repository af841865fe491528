"""The paper's tables, beside the published numbers."""
