# Applies a rule of dpwerm to a data frame. Needs base R and jsonlite.
library(jsonlite)

# Runs a command of dpwerm, and stops if it fails. R's own LD_LIBRARY_PATH is taken away
# meanwhile: it can lead Python to another Python's library.
dpwerm <- function(...) {
  libraries <- Sys.getenv("LD_LIBRARY_PATH")
  on.exit(Sys.setenv(LD_LIBRARY_PATH = libraries))
  Sys.unsetenv("LD_LIBRARY_PATH")
  code <- system2("dpwerm", shQuote(c(...)))
  if (code != 0) stop("dpwerm ended with code ", code)
}

read_rule <- function(path) fromJSON(path, simplifyVector = FALSE)

# Cells stay text, so that a level such as "01" or "NA" is not changed by reading.
read_people <- function(path) {
  read.csv(
    path,
    colClasses = "character", na.strings = "", check.names = FALSE, encoding = "UTF-8"
  )
}

# A number is kept within its bounds; a missing one becomes the default.
number_part <- function(cells, block, units) {
  x <- suppressWarnings(as.numeric(as.character(cells)))
  x[!is.finite(x)] <- block$default
  units[[block$name]] * pmin(pmax(x, block$lower), block$upper)
}

# A missing cell becomes the default level, an unknown one the level "*", else the first.
category_part <- function(cells, block, units) {
  cells <- trimws(as.character(cells))
  level <- rep(block$levels[[1]]$name, length(cells))
  for (one in block$levels) if (identical(one$cells, "*")) level[] <- one$name
  missing <- c("", "NA", "N/A", "NaN", "nan", "NULL", "null")
  level[is.na(cells) | cells %in% missing] <- block$default
  for (one in block$levels) {
    if (is.list(one$cells)) level[cells %in% unlist(one$cells)] <- one$name
  }
  unname(units[paste0(block$name, "=", level)])
}

# The score of each person: the constant, and what each feature adds.
score <- function(rule, people) {
  units <- unlist(rule$coefficients$own_units)
  total <- rep(units[["intercept"]], nrow(people))
  for (block in rule$encoding$blocks) {
    if (!block$column %in% names(people)) stop("there is no column ", block$column)
    part <- if (block$kind == "number") number_part else category_part
    total <- total + part(people[[block$column]], block, units)
  }
  total
}

# The second arm above 0, the first below, the default at exactly 0.
recommend <- function(rule, people) {
  arms <- unlist(rule$treatment$arms)
  sign <- sign(score(rule, people))
  ifelse(sign > 0, arms[2], ifelse(sign < 0, arms[1], rule$treatment$default))
}

# Rscript use_rule.R rule.json people.csv: compares with dpwerm recommend.
files <- commandArgs(trailingOnly = TRUE)
if (length(files) == 2) {
  rule <- read_rule(files[1])
  people <- read_people(files[2])
  dpwerm("recommend", files[1], files[2], "--out", "recommended.csv")
  theirs <- read_people("recommended.csv")
  apart <- max(abs(score(rule, people) - as.numeric(theirs$score)))
  stopifnot(recommend(rule, people) == theirs$recommended_arm, apart < 1e-9)
  cat(nrow(people), "people have the same arm here and there\n")
}
