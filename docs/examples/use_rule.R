# Runs dpwerm from R, and applies a rule to a data frame. Needs base R and jsonlite.
library(jsonlite)

# Runs a command of dpwerm, and stops if it fails. R's own LD_LIBRARY_PATH is taken away
# meanwhile: it can lead Python to another Python's library.
dpwerm <- function(..., quiet = FALSE) {
  libraries <- Sys.getenv("LD_LIBRARY_PATH")
  on.exit(Sys.setenv(LD_LIBRARY_PATH = libraries))
  Sys.unsetenv("LD_LIBRARY_PATH")
  code <- system2("dpwerm", shQuote(c(...)), stdout = if (quiet) FALSE else "")
  if (code != 0) stop("dpwerm ended with code ", code)
}

# All that the file of a rule says, for reading.
read_rule <- function(path) fromJSON(path, simplifyVector = FALSE)

# The functions score(data) and recommend(data) of a rule, as dpwerm export writes them.
load_rule <- function(path) {
  file <- tempfile(fileext = ".R")
  on.exit(unlink(file))
  dpwerm("export", path, "--out", file, quiet = TRUE)
  rule <- new.env()
  sys.source(file, rule)
  rule
}

# Cells stay text, so that a level such as "01" or "NA" is not changed by reading.
read_people <- function(path) {
  read.csv(
    path,
    colClasses = "character", na.strings = "", check.names = FALSE, encoding = "UTF-8"
  )
}

# Rscript use_rule.R rule.json people.csv: compares with dpwerm recommend.
files <- commandArgs(trailingOnly = TRUE)
if (length(files) == 2) {
  rule <- load_rule(files[1])
  people <- read_people(files[2])
  dpwerm("recommend", files[1], files[2], "--out", "recommended.csv")
  theirs <- read_people("recommended.csv")
  apart <- max(abs(rule$score(people) - as.numeric(theirs$score)))
  stopifnot(rule$recommend(people) == theirs$recommended_arm, apart < 1e-9)
  cat(nrow(people), "people have the same arm here and there\n")
}
