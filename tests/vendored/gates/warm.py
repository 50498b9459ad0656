"""A Python that has started already: it runs one script many times, each in a fork of its own.

    python3 -I -S warm.py SCRIPT DESCRIPTOR

Each request on the socket is one JSON message with three descriptors, the streams of the run. What
a fork does is what `python3 -I -S SCRIPT ...` does after it has started: the same bytes run as
`__main__`, and Python itself turns how they end into an exit.
"""

from __future__ import annotations

import json
import os
import resource
import socket
import sys
from pathlib import Path


def serve(link: socket.socket) -> dict[str, object] | None:
    """Fork for each request: return it in the fork, and None in here when there are no more."""
    while True:
        message, streams, _, _ = socket.recv_fds(link, 1 << 20, 3)
        if not message:
            return None
        if not os.fork():
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
            return dict(json.loads(message))
        for stream in streams:
            os.close(stream)
        _, status = os.wait()
        link.send(str(os.waitstatus_to_exitcode(status)).encode())


if __name__ == "__main__":
    path, descriptor = sys.argv[1:]
    code = compile(Path(path).read_bytes(), path, "exec")
    exec(code, {"__name__": "warm"})  # noqa: S102 - it imports what it needs, once for all
    asked = serve(socket.socket(fileno=int(descriptor)))
    if asked is not None:
        os.chdir(str(asked["cwd"]))
        os.environ.clear()
        os.environ.update(dict(asked["env"]))  # type: ignore[call-overload]
        for name, bound in dict(asked["limits"]).items():  # type: ignore[call-overload]
            resource.setrlimit(getattr(resource, name), (bound, bound))
        sys.argv = [path, *asked["words"]]  # type: ignore[misc]
        exec(code, {"__name__": "__main__", "__file__": path})  # noqa: S102 - as above
