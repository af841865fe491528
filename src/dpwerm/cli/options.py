"""What several commands say of the same option, once."""

EPSILON_HELP = (
    "Privacy loss of this release, such as 0.5: at least 0.000001, and the smaller the more "
    "private. inf: no noise and no privacy."
)
DELTA_HELP = (
    "Only for Gaussian noise: how much of the promise may fail, such as 1e-6; at least 0, below 1."
)
TABLE_HELP = "The trial's table, one row for each person: a .csv, .tsv or .parquet file."
WORKERS_HELP = "Processes; as many as processors if left out."
