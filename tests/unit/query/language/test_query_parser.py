@pytest.mark.parametrize(("direction", "sign"), [("rise", ">="), ("fall", "<=")])
def test_a_variable_may_only_rise_or_fall(direction: str, sign: str) -> None:
    assert parse(f"might a if x may only {direction}") == parse(f"might a if x {sign} fact(x)")


def test_a_direction_is_a_variable_s() -> None:
    with pytest.raises(QueryError, match="expected"):
        parse("might a if x + 1 may only rise")
