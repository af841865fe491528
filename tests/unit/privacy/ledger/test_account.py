import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.privacy.ledger.books import (
    DIGEST,
    KEY,
    STUDY,
    Charged,
    account_of,
    admitted,
    chain,
    opening,
)

from dpwerm.errors import LedgerTamperedError
from dpwerm.privacy.budget import AnyBudget, Budget, only_budget
from dpwerm.privacy.ledger import account as bodies
from dpwerm.privacy.ledger.account import Account, TotalChange, studies_in, unpayable
from dpwerm.privacy.ledger.entry import Amounts, Total

PARTITIONS = ("north", "south")
TENTHS = st.integers(1, 12).map(lambda tenths: f"{tenths / 10:g}")
COSTS: st.SearchStrategy[AnyBudget] = st.one_of(
    st.builds(Budget.of, TENTHS, st.sampled_from(["0", "1e-7", "3e-7"])),
    st.builds(Budget.zcdp, TENTHS),
    st.builds(Budget.gdp, TENTHS),
)
CHARGED: st.SearchStrategy[list[Charged]] = st.lists(
    st.tuples(st.sampled_from([None, *PARTITIONS]), COSTS), max_size=8
)
TOTALS = st.builds(
    Total.of,
    TENTHS,
    st.sampled_from(["0", "1e-7", "1e-6"]),
    st.one_of(st.just("0"), TENTHS),
    st.one_of(st.just("0"), TENTHS),
)


def test_tenths_add_up_exactly() -> None:
    everybody: list[Charged] = [(None, Budget.of("0.1")), (None, Budget.of("0.2"))]
    assert len(admitted(Total.of("0.3"), everybody).charges) == 2
    above: list[Charged] = [everybody[0], (None, Budget.of("0.2000000000000000000000000001"))]
    assert len(admitted(Total.of("0.3"), above).charges) == 1


def test_squares_of_mu_add_up_exactly() -> None:
    total = Total.of(mu="0.5")
    fits: list[Charged] = [(None, Budget.gdp("0.3")), (None, Budget.gdp("0.4"))]
    assert admitted(total, fits).left() == Amounts()
    above: list[Charged] = [fits[0], (None, Budget.gdp("0.40000000000000000000000001"))]
    assert len(admitted(total, above).charges) == 1


@pytest.mark.parametrize(
    ("total", "half"),
    [
        (Total.of("1"), Budget.of("0.5")),
        (Total.of("1", "1e-6"), Budget.of("0.1", "5e-7")),
        (Total.of(rho="1"), Budget.zcdp("0.5")),
        (Total.of(rho="1"), Budget.gdp("1")),
        (Total.of(mu="2"), Budget.gdp("1.4142135623730950488")),
    ],
)
def test_two_halves_fit_and_three_do_not(total: Total, half: AnyBudget) -> None:
    """A limit that is off by a factor of two, either way, fails here."""
    assert len(admitted(total, [(None, half)] * 3).charges) == 2


@settings(max_examples=40)
@given(CHARGED, st.randoms(), TOTALS)
def test_the_order_does_not_matter(costs: list[Charged], random: object, total: Total) -> None:
    shuffled = costs.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one, other = (admitted(total, order, PARTITIONS) for order in (costs, shuffled))
    if len(one.charges) == len(costs):
        assert len(other.charges) == len(costs)
        assert [one.left(partition) for partition in (None, *PARTITIONS)] == [
            other.left(partition) for partition in (None, *PARTITIONS)
        ]


@settings(max_examples=40)
@given(CHARGED, TOTALS)
def test_no_partition_is_ever_above_the_total(costs: list[Charged], total: Total) -> None:
    account = admitted(total, costs, PARTITIONS)
    paid = [(charge.partition, total.amounts(charge.cost)) for charge in account.charges]
    sums = {name: Amounts() for name in PARTITIONS}
    for name in PARTITIONS:
        for partition, amounts in paid:
            if partition in (None, name):
                sums[name] += amounts
        assert sums[name].fits(total.limits)
        assert account.spent(name) == sums[name]
    assert account.spent() == sums["north"].largest(sums["south"])
    assert unpayable(account) is None


@settings(max_examples=40)
@given(CHARGED, TOTALS)
def test_whatever_fits_is_admitted_and_nothing_else(costs: list[Charged], total: Total) -> None:
    account = admitted(total, costs, PARTITIONS)
    for partition, cost in costs:
        purse = getattr(total, total.purse(cost))
        names = PARTITIONS if partition is None else (partition,)
        room = all((account.spent(name) + total.amounts(cost)).fits(total.limits) for name in names)
        assert (account.refusal(cost, partition) is None) == (bool(purse) and room)


@settings(max_examples=40)
@given(CHARGED, TOTALS, TENTHS)
def test_what_fits_still_fits_into_a_larger_total(
    costs: list[Charged], total: Total, more: str
) -> None:
    fitting = [
        (charge.partition, charge.cost) for charge in admitted(total, costs, PARTITIONS).charges
    ]
    grown = Total(
        total.epsilon + Fraction(more).numerator, total.delta, total.rho and total.rho + 1, total.mu
    )
    assert len(admitted(grown, fitting, PARTITIONS).charges) == len(fitting)


@settings(max_examples=40)
@given(CHARGED, TOTALS)
def test_an_account_follows_from_its_own_entries_alone(costs: list[Charged], total: Total) -> None:
    account = admitted(total, costs, PARTITIONS)
    own = [
        opening(total, PARTITIONS),
        *(bodies.charged(STUDY, one.partition, one.cost, "rule", KEY) for one in account.charges),
    ]
    assert account_of(own) == account
    others = [opening(Total.of(9), study="other")]
    for body in own:
        others += [body, bodies.charged("other", None, Budget.of("0.1"), "value", KEY)]
    mixed = Account.of(chain(others), STUDY)
    assert mixed is not None
    assert mixed.left() == account.left()
    assert studies_in(chain(others)) == ("other", STUDY)


@settings(max_examples=40)
@given(CHARGED, TOTALS, st.sampled_from([None, *PARTITIONS]), COSTS)
def test_what_is_said_to_fit_fits(
    costs: list[Charged], total: Total, partition: str | None, cost: AnyBudget
) -> None:
    account = admitted(total, costs, PARTITIONS)
    refusal = account.refusal(cost, partition)
    said = re.search(r": (epsilon|rho|mu) = (\S+) would fit", refusal or "")
    if said is None:
        return
    name, value = said.groups()
    advised = only_budget(**{name: value})
    assert account.refusal(advised, partition) is None
    slightly = only_budget(**{name: str(round(float(value) * 1.001, 12))})
    assert account.refusal(slightly, partition) is not None


def test_a_refusal_says_what_is_left() -> None:
    account = admitted(Total.of(2), [(None, Budget.of("1.5"))])
    assert account.refusal(Budget.of(1)) == (
        "epsilon = 1 is more than is left of epsilon = 2: epsilon = 0.5 would fit"
    )
    both = account.refusal(Budget.of("0.1", "1e-6"))
    assert both is not None
    assert both.endswith("epsilon = 0.5 would fit; delta = 0 is left")
    full = admitted(Total.of(2), [(None, Budget.of(2))]).refusal(Budget.of("1e-6"))
    assert full is not None
    assert full.endswith("no epsilon is left")


def test_a_partition_leaves_the_others_what_they_had() -> None:
    account = admitted(Total.of(2), [(None, Budget.of("0.5")), ("north", Budget.of(1))], PARTITIONS)
    assert account.left("north").epsilon == account.left().epsilon == Fraction(1, 2)
    assert account.left("south").epsilon == Fraction(3, 2)
    assert "for partition north: epsilon = 0.5" in str(account.refusal(Budget.of(1), "north"))
    assert "beside the fullest partition: epsilon = 0.5" in str(account.refusal(Budget.of(1)))
    assert "no partition of the study (north, south)" in str(account.refusal(Budget.of(1), "west"))


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        (Budget.zcdp("0.1"), "declare rho in [budget], such as rho = 0.1, or ask in epsilon"),
        (Budget.gdp("0.1"), "declare mu (or rho) in [budget], such as mu = 0.1, or ask in"),
    ],
)
def test_without_a_purse_it_says_how_to_declare_one(cost: AnyBudget, said: str) -> None:
    account = Account(STUDY, "replace_one", Total.of(1, "1e-6"))
    assert said in str(account.refusal(cost))
    pure = Account(STUDY, "replace_one", Total.of(1)).refusal(cost)
    assert "ask in" not in str(pure)
    without = Account(STUDY, "replace_one", Total.of(rho=1)).refusal(Budget.of(1))
    assert "declare epsilon in [budget]" in str(without)


def test_mu_that_was_paid_as_rho_stays_there() -> None:
    first, later = Total.of(rho="0.5"), Total.of(rho="0.5", mu="1")
    account = account_of(
        [
            opening(first),
            bodies.charged(STUDY, None, Budget.gdp("0.6"), "rule", KEY),
            bodies.new_total(Account(STUDY, "replace_one", later), "a purse for mu"),
            bodies.charged(STUDY, None, Budget.gdp("0.6"), "rule", KEY),
        ]
    )
    assert account.spent() == Amounts(rho=Fraction(18, 100), mu_squared=Fraction(36, 100))
    assert account.total == later


def test_changes_of_the_total_stay_with_their_reasons() -> None:
    opened, *later = (Total.of(one) for one in (1, 2, 3))
    reasons = ("the board voted\u2028on 3 May", "a second trial")
    changes = [
        bodies.new_total(Account(STUDY, "replace_one", total), reason) | {"date": "2026-05-03"}
        for total, reason in zip(later, reasons, strict=True)
    ]
    account = account_of([opening(opened), changes[0], CHARGE, changes[1]])
    assert account.totals == (
        TotalChange(3, "2026-05-03", later[0], r"the board voted\u2028on 3 May"),
        TotalChange(5, "2026-05-03", later[1], "a second trial"),
    )
    assert account.total == later[1]
    assert account_of([opening(opened), CHARGE]).totals == ()


def test_a_release_is_found_at_its_charge() -> None:
    account = account_of(
        [
            opening(Total.of(1)),
            bodies.charged(STUDY, None, Budget.of("0.1"), "value", KEY),
            bodies.charged(STUDY, None, Budget.of("0.1"), "rule", KEY),
            bodies.released(STUDY, 4, DIGEST),
        ]
    )
    assert [charge.digest for charge in account.charges] == [None, DIGEST]
    assert [charge.what for charge in account.charges] == ["value", "rule"]
    assert Account.of(chain([]), STUDY) is None


CHARGE = bodies.charged(STUDY, None, Budget.of(1), "rule", KEY)
OPENED = opening(Total.of(1), PARTITIONS)
CHANGED = bodies.new_total(Account(STUDY, "replace_one", Total.of(1), PARTITIONS), "why")


@pytest.mark.parametrize(
    "written",
    [
        [CHARGE],
        [OPENED, OPENED],
        [OPENED, CHARGE, CHARGE],
        [OPENED, CHARGE | {"slot": "west"}],
        [OPENED, CHARGE | {"cost": {"epsilon": "Infinity", "delta": "0"}}],
        [OPENED, CHARGE | {"cost": {"epsilon": "-1", "delta": "0"}}],
        [OPENED, CHARGE | {"cost": {"joy": "1"}}],
        [OPENED, CHARGE | {"cost": "1"}],
        [OPENED, CHARGE, bodies.released(STUDY, 2, DIGEST)],
        [OPENED, CHARGE, *[bodies.released(STUDY, 3, DIGEST)] * 2],
        [OPENED, {"kind": "refunded", "study": STUDY, "charge": 3}],
        [OPENED, {"study": STUDY}],
        [OPENED | {"total": {"epsilon": "1"}}],
        [OPENED | {"slots": "north"}],
        [OPENED, CHARGE, CHANGED | {"total": Total.of("0.5").plain()}],
        [OPENED, CHARGE | {"slot": "north"}, CHANGED | {"slots": ["south"]}],
        [OPENED, CHANGED | {"reason": 3}],
        [OPENED, {key: value for key, value in CHANGED.items() if key != "reason"}],
    ],
)
def test_entries_that_no_charge_could_have_left_are_refused(written: list[bodies.Body]) -> None:
    with pytest.raises(LedgerTamperedError, match=rf"entry {len(written) + 1} of the ledger"):
        Account.of(chain(written), STUDY)
