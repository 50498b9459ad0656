"""How a script decides over its items: the lines that commands and rules give to paste."""

DECIDE = "const verdicts = items.map((item, i) => decideVerdict(replies[i], RUBRIC, { item }));"
RETURN = "return { verdicts, sample: spotCheck(verdicts) };"
WHOLE = f"""\
const replies = await parallel(items.map((item) => () =>
  agent(`Judge ${{item}} ...`, {{ schema: JUDGE_VERDICT_SCHEMA }})));
{DECIDE}
{RETURN}"""
