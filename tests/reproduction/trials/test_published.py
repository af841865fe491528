from reproduction.trials.published import published_flat, published_rows


def test_all_published_rows_are_there() -> None:
    rows = published_rows()
    assert [row.study for row in rows] == ["sjcrh"] * 6 + ["cyp_guides"] * 6
    for row in rows:
        assert sum(row.allocated) == row.n
        assert (row.concordance is None) == (row.deviation is None) == (row.epsilon == "inf")


def test_published_rows_for_the_csv() -> None:
    flat = published_flat("sjcrh")
    assert len(flat) == 6
    assert (flat[0]["value"], flat[0]["second_arm"], flat[-1]["value_sd"]) == (2.093, 156, "")
