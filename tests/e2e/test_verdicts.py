"""One verdict, one exit status; and what the answer says."""

FREE = "closed is anything and heat is anything and running is anything and started is anything"


def test_yes(microwave):
    ran = microwave("ask", f"would action in {{CANCEL, CLOSE}} if error == true and {FREE}")
    assert ran.status == 0
    assert "✔ YES" in ran.out
    assert ran.err == ""


def test_no_shows_the_scenario_that_refutes_it(microwave):
    ran = microwave("ask", f"would action == CANCEL if error == true and {FREE}", "--json")
    assert ran.status == 1
    answer = ran.json
    assert (answer["verdict"], answer["kind"], answer["step"]) == ("no", "would", 3)
    assert answer["witness"]["shows"] == "counterexample"
    assert answer["witness"]["outputs"]["action"] == "CLOSE"
    assert answer["witness"]["inputs"] | {change["variable"]: change["fact"] for change in answer["changed"]} == {
        "error": True,
        "closed": False,
        "heat": True,
        "running": True,
        "started": True,
    }
    assert len(answer["changed"]) == 1  # settled: as near to the fact as can be


def test_contradictory_suppositions_are_vacuous_and_name_the_conflict(microwave):
    ran = microwave("ask", "would action == CANCEL if heat is anything and error == false and error == true")
    assert ran.status == 2
    assert "∅ VACUOUS" in ran.out
    assert "that the error light is false, and that the error light is true" in " ".join(ran.out.split())
    assert "heat is anything" not in ran.out.split("VACUOUS")[1].split("freed")[0]


def test_a_question_about_the_fact_alone_is_vacuous(microwave):
    assert microwave("ask", "would action == CLOSE if error == true").status == 2


def test_a_budget_that_ends_is_unknown_and_never_a_no(hard):
    ran = hard("ask", "might found if a is anything and b is anything", "--seconds", "2", "--json")
    assert ran.status == 3
    answer = ran.json
    assert answer["verdict"] == "unknown"
    assert "time" in answer["reason"]
    assert answer["witness"] is None
    assert "Ctrl-C stops" in ran.err  # the sign of life, on standard error alone
    assert "Ctrl-C" not in ran.out


def test_what_no_path_covers_is_unknown(microwave):
    (microwave.project / "paths" / "6-start.smt2").unlink()
    ran = microwave("ask", "would action in {CANCEL, CLOSE, OPEN, NOTHING} if error is anything and " + FREE)
    assert ran.status == 3
    assert "? UNKNOWN" in ran.out
    assert "no path that was given covers them" in " ".join(ran.out.split())


def test_a_log_that_the_program_did_not_make_is_an_error(microwave):
    microwave.edit("log.jsonl", '"action": "CLOSE"', '"action": "OPEN"')
    ran = microwave("ask", "did action == OPEN")
    assert ran.status == 4
    mismatch = "! ERROR log mismatch: the log says the operator's action is OPEN, the program gives CLOSE"
    assert mismatch in " ".join(ran.out.split())
    assert "--accept-log-mismatch" in ran.out


def test_counterfactuals_wait_until_the_mismatch_is_accepted_on_the_record(microwave):
    microwave.edit("log.jsonl", '"action": "CLOSE"', '"action": "OPEN"')
    question = f"would action in {{CANCEL, CLOSE}} if error == true and {FREE}"
    assert microwave("ask", question).status == 4
    accepted = microwave("ask", question, "--accept-log-mismatch", "--json")
    assert accepted.status == 0
    assert any(each["id"] == "accepted" for each in accepted.json["relies_on"])


def test_the_manifest_s_questions_are_asked_one_after_the_other(microwave):
    ran = microwave("ask", "--json")
    assert ran.status == 0  # every answer is yes or no
    assert [answer["verdict"] for answer in ran.all_json] == ["no", "no", "no", "no", "yes", "yes", "no"]


def test_several_questions_end_with_the_first_that_is_neither(microwave):
    ran = microwave("ask", "did action == CLOSE", "might fails if error == true", "did action == OPEN", "--quiet")
    assert ran.out.split() == ["yes", "vacuous", "no"]
    assert ran.status == 2


def test_words_that_the_shell_has_split_are_one_question(microwave):
    ran = microwave("ask", "-q", "did", "action", "==", "CLOSE")
    assert (ran.out, ran.status) == ("yes\n", 0)


def test_another_step_and_another_log(microwave):
    assert microwave("ask", "did action == CANCEL", "--step", "4").status == 0
    microwave.write("other.csv", "error,closed,heat,running,started,action\n0,1,0,0,0,START\n")
    assert microwave("ask", "did action == START", "--trace", "other.csv", "--step", "0").status == 0


def test_every_solver_alone_and_two_that_must_agree(microwave, tmp_path):
    question = f"would action == CANCEL if error == true and closed == true and {FREE.partition(' and ')[2]}"
    for solver in ("bitwuzla", "z3", "cvc5"):
        assert microwave("ask", question, "--solver", solver, "-q").status == 0
    assert microwave("ask", question, "--cross-check", "-q").status == 0


def test_queries_can_be_kept(microwave, tmp_path):
    folder = tmp_path / "queries"
    answers = microwave("ask", "--log-queries", str(folder), "--json").all_json
    assert len(list(folder.glob("*.smt2"))) == sum(answer["solver"]["calls"] for answer in answers)
