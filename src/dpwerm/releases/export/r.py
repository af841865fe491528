r"""A rule as a file of base R that needs no package: ``recommend(data)`` and ``score(data)``.

The functions below read a cell as ``dpwerm.data.table`` does, which tests compare. A cell that the
rule does not know counts as it does for ``recommend``, and a warning names the column and the rows.
The file is plain ASCII: R reads it the same in every locale.
"""

from collections.abc import Iterable

from dpwerm.data.table import MISSING
from dpwerm.errors import ParameterError
from dpwerm.releases.export.terms import CategoryTerm, Export, NumberTerm, heading, terms_of
from dpwerm.releases.release import Rule

_FIRST_LINE = (
    "# A treatment rule for base R: recommend(data) gives the arm of each row of a data frame,\n"
    "# score(data) its score."
)

_FUNCTIONS = r"""

  # The arm that the rule recommends for each row.
  recommend <- function(data) {
    found <- score(data)
    arm <- rep(default, length(found))
    arm[found > 0] <- arms[2]
    arm[found < 0] <- arms[1]
    arm
  }

  # The score of each row; a warning names the rows with a cell that the rule does not know.
  score <- function(data) {
    if (!is.data.frame(data)) stop("give a data frame with one row for each person", call. = FALSE)
    total <- rep(0, nrow(data))
    for (one in numbers) {
      cells <- cells_of(data, one$column)
      x <- number(cells)
      none <- is.na(x)
      found <- text(cells[none])
      odd <- which(none)[!(is.na(found) | found %in% missing_words)]
      tell(odd, one$column, "no finite number", paste("the default", one$default))
      x[none] <- one$default
      x <- (pmin(pmax(x, one$lower), one$upper) - one$zero) / one$unit
      total <- total + one$coefficient * pmin(pmax(x, one$least), 1)
    }
    for (one in categories) {
      found <- text(cells_of(data, one$column))
      place <- match(found, one$texts)
      none <- is.na(place) & (is.na(found) | found %in% missing_words)
      unknown <- is.na(place) & !none
      if (!one$any_text) tell(which(unknown), one$column, "no declared level", "the first level")
      adds <- one$adds[place]
      adds[none] <- one$missing
      adds[unknown] <- one$otherwise
      total <- total + adds
    }
    total + constant
  }

  # Warns of rows; their cells are not repeated.
  tell <- function(rows, column, problem, counts_as) {
    if (!length(rows)) return(invisible())
    more <- if (length(rows) > 10) paste(" and", length(rows) - 10, "more") else ""
    warning(
      "column ", column, " holds ", problem, " in row ",
      paste(rows[seq_len(min(10, length(rows)))], collapse = ", "), more,
      ": counted as ", counts_as, call. = FALSE
    )
  }

  cells_of <- function(data, column) {
    place <- which(names(data) == column)
    if (length(place) != 1) {
      stop("there must be one column ", column, ", not ", length(place), call. = FALSE)
    }
    cells <- data[[place]]
    if (is.factor(cells)) cells <- as.character(cells)
    plain <- is.character(cells) || is.numeric(cells) || is.logical(cells)
    if (!plain || is.object(cells) || !is.null(dim(cells))) {
      stop(
        "column ", column, " holds values of class ", class(cells)[1],
        ": give numbers, texts or TRUE and FALSE", call. = FALSE
      )
    }
    cells
  }

  # The number that each cell is, NA for what is no finite number; true and false are 1 and 0.
  number <- function(cells) {
    if (is.character(cells)) {
      found <- strip(cells)
      cells <- rep(NA_real_, length(found))
      size <- grepl(a_number, found)
      cells[size] <- as.numeric(found[size])
      cells[tolower(found) %in% "true"] <- 1
      cells[tolower(found) %in% "false"] <- 0
    }
    cells <- as.numeric(cells)
    cells[!is.finite(cells)] <- NA
    cells
  }

  # The one spelling of each cell: 1, 1.0 and " 1" are the same; NA if it is missing.
  text <- function(cells) {
    different <- unique(cells)
    found <- if (is.character(different)) strip(different)
      else if (is.logical(different)) c("false", "true")[different + 1]
      else if (is.integer(different)) sprintf("%d", different)
      else decimals(different)
    found[is.na(different) | !nzchar(found)] <- NA
    size <- !is.na(found) & grepl(a_number, found)
    found[size] <- vapply(found[size], spelling, "", USE.NAMES = FALSE)
    truth <- tolower(found) %in% c("true", "false")
    found[truth] <- tolower(found[truth])
    found[match(cells, different)]
  }

  strip <- function(cells) {
    cells <- enc2utf8(cells)
    cells[!is.na(cells) & !validUTF8(cells)] <- "<no text>"
    gsub(spaces, "", cells, perl = TRUE)
  }

  # The fewest digits, from 15 on, that give the same double.
  decimals <- function(sizes) {
    found <- sprintf("%.15g", sizes)
    for (form in c("%.16g", "%.17g")) {
      off <- which(is.finite(sizes))
      off <- off[as.numeric(found[off]) != sizes[off]]
      found[off] <- sprintf(form, sizes[off])
    }
    tolower(found)
  }

  # A number without plus sign, exponent and idle zeros; no digit is rounded.
  spelling <- function(found) {
    parts <- strsplit(tolower(found), "e", fixed = TRUE)[[1]]
    power <- 0
    if (length(parts) > 1) {
      if (nchar(parts[2]) > 5 || abs(as.numeric(parts[2])) > 400) return(found)
      power <- as.numeric(parts[2])
    }
    mantissa <- sub("^[+-]", "", parts[1])
    whole <- sub("[.].*", "", mantissa)
    digits <- sub(".", "", mantissa, fixed = TRUE)
    point <- nchar(whole) + power
    digits <- paste0(
      strrep("0", max(-point, 0)), digits, strrep("0", max(point - nchar(digits), 0))
    )
    point <- max(point, 0)
    whole <- sub("^0+", "", substr(digits, 1, point))
    fraction <- sub("0+$", "", substr(digits, point + 1, nchar(digits)))
    result <- paste0(if (nzchar(whole)) whole else "0", if (nzchar(fraction)) ".", fraction)
    if (startsWith(found, "-") && result != "0") paste0("-", result) else result
  }

  a_number <- "^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?$"
  # The white space that Python strips.
  blank <- paste0(
    "[\t-\r\u001c-\u0020\u0085\u00a0\u1680\u2000-\u200a",
    "\u2028\u2029\u202f\u205f\u3000]+"
  )
  spaces <- paste0("^", blank, "|", blank, "$")

  list(recommend = recommend, score = score)
})
recommend <- rule$recommend
score <- rule$score
"""


def r_source(rule: Rule) -> str:
    """Return the source of a file; every name in it is a literal or one comment, in ASCII."""
    terms = terms_of(rule)
    numbers = [
        [f"{name} = {_value(value)}" for name, value in term._asdict().items()]
        for term in terms.used
        if isinstance(term, NumberTerm)
    ]
    categories = [_category(term) for term in terms.used if isinstance(term, CategoryTerm)]
    comments = [
        f"# {line.encode('ascii', 'backslashreplace').decode()}"
        for line in heading(rule, terms.unused)
    ]
    values = [
        f"  constant <- {terms.constant!r}",
        "  # A number x adds coefficient * clip((x - zero) / unit, least, 1).",
        *_listed("numbers", numbers),
        "  # What a missing text adds, what a text not listed adds, what each text adds.",
        *_listed("categories", categories),
        f"  arms <- c({', '.join(map(_text, rule.arms))})",
        f"  default <- {_text(rule.default)}",
        f"  missing_words <- c({', '.join(map(_text, sorted(MISSING)))})",
    ]
    return "\n".join([_FIRST_LINE, "#", *comments, "", "rule <- local({", *values]) + _FUNCTIONS


def _category(term: CategoryTerm) -> list[str]:
    return [
        f"column = {_text(term.column)}",
        f"missing = {term.missing!r}",
        f"otherwise = {term.otherwise!r}",
        f"any_text = {'TRUE' if term.catches_all else 'FALSE'}",
        f"texts = {_vector(map(_text, term.cells))}",
        f"adds = {_vector(map(repr, term.cells.values()))}",
    ]


def _listed(name: str, rows: Iterable[list[str]]) -> list[str]:
    lists = ["    list(\n      " + ",\n      ".join(row) + "\n    )" for row in rows]
    return [f"  {name} <- list(" + ("\n" + ",\n".join(lists) + "\n  )" if lists else ")")]


def _vector(values: Iterable[str]) -> str:
    """Return a vector, one value in a line: ``R -f`` cuts lines at 4,095 bytes."""
    return "c(\n" + ",\n".join(f"        {one}" for one in values) + "\n      )"


def _value(value: float | str) -> str:
    return _text(value) if isinstance(value, str) else repr(value)


def _text(value: str) -> str:
    """Return a text as R writes it, all but plain characters by number."""
    if "\0" in value:
        raise ParameterError("a name holds the character U+0000, which R cannot write")
    return f'"{"".join(map(_character, value))}"'


def _character(one: str) -> str:
    if " " <= one <= "~" and one not in '"\\':
        return one
    return rf"\u{ord(one):04x}" if ord(one) < 0x10000 else rf"\U{ord(one):08x}"


R = Export(
    ".R",
    lambda rule: r_source(rule).encode("ascii"),
    "source this file in R; recommend(data) gives the arm of each row and score(data) the score.",
)
