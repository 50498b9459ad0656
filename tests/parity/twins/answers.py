"""A worker that breaks the protocol in the way that its argument names."""

import json
import sys


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def reply(seq: int, **rest: object) -> None:
    say(json.dumps({"judge-parity": 1, "seq": seq, **rest}))


manner = sys.argv[1]
for line in sys.stdin:
    request = json.loads(line)
    seq = request["seq"]
    cases = request.get("cases", [])
    if manner == "dies":
        sys.exit(3)
    if manner == "chats":
        say("hello there")
    if manner == "other-version":
        say(json.dumps({"judge-parity": 2, "seq": seq, "done": True}))
    if manner == "other-request":
        reply(seq + 1, done=True)
    for case in cases:
        name = "somebody" if manner == "wrong-id" else case["id"]
        if manner != "skips":
            reply(seq, id=name, answer="returns null")
        if manner == "twice":
            reply(seq, id=name, answer="returns null")
    reply(seq, done=True)
