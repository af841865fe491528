"""The paper's tables, figures and bounds, beside the published numbers and simulation."""
