"""A real Chromium, driven through the pipe of its DevTools protocol: no driver, no port."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SECONDS = 30.0  # for one answer
INSTALLED = (
    "google-chrome",
    "chromium",
    "chromium-browser",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
QUIET = {"Network.requestWillBeSent", "Runtime.consoleAPICalled", "Runtime.exceptionThrown",
         "Log.entryAdded"}  # fmt: skip
"""What a page that only stands there never causes, but for the request that brought it."""


def brought() -> Path:
    """Return the folder that scripts/browser prints. An error is the story, never a skip."""
    done = subprocess.run([ROOT / "scripts/browser"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip())


class Page:
    """One tab: what it was asked, and everything that it did by itself."""

    def __init__(self, pipe: _Pipe, session: str) -> None:
        self._pipe = pipe
        self._session = session
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **parameters: Any) -> Any:  # noqa: ANN401 - as the protocol has it
        return self._pipe.ask(method, self._session, parameters)

    def open(self, file: Path, *, width: int, theme: str) -> list[dict[str, Any]]:
        """Load a file as a screen of this width and theme shows it; return all that it caused."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self.ask("Emulation.setDeviceMetricsOverride", **size)
        wanted = [{"name": "prefers-color-scheme", "value": theme}]
        self.ask("Emulation.setEmulatedMedia", features=wanted)
        self._pipe.events.clear()
        self.ask("Page.navigate", url=file.as_uri())
        self._pipe.wait_for("Page.loadEventFired")
        self.run("new Promise(r => requestAnimationFrame(() => setTimeout(r, 50)))")
        events = [event for event in self._pipe.events if event["method"] in QUIET]
        return [event for event in events if not _brings(event, file.as_uri())]

    def run(self, script: str) -> Any:  # noqa: ANN401 - any JSON
        """Return what a script comes to in the page."""
        asked = {"expression": script, "awaitPromise": True, "returnByValue": True}
        answer = self.ask("Runtime.evaluate", **asked)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def picture(self) -> bytes:
        """Return the whole page as PNG."""
        shown = self.ask("Page.captureScreenshot", captureBeyondViewport=True)
        return base64.b64decode(shown["data"])


def _brings(event: dict[str, Any], address: str) -> bool:
    """Whether an event is the request for the page itself."""
    return bool(
        event["method"] == "Network.requestWillBeSent"
        and event["params"]["request"]["url"] == address
    )


class _Pipe:
    """Messages are JSON and end in a zero byte; the browser reads descriptor 3 and writes 4."""

    def __init__(self, reads: int, writes: int) -> None:
        self.events: list[dict[str, Any]] = []
        self._reads, self._writes = reads, writes
        self._number = 0
        self._rest = b""

    def ask(self, method: str, session: str | None, parameters: dict[str, Any]) -> Any:  # noqa: ANN401 - likewise
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        said = message if session is None else {**message, "sessionId": session}
        os.write(self._writes, json.dumps(said).encode() + b"\0")
        while (got := self._next()).get("id") != self._number:
            self.events.append(got)
        assert "error" not in got, f"{method}: {got['error']}"
        return got["result"]

    def wait_for(self, event: str) -> None:
        while not any(known["method"] == event for known in self.events):
            self.events.append(self._next())

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._reads], [], [], SECONDS)
            chunk = os.read(self._reads, 1 << 16) if ready else b""
            assert chunk, "the browser says nothing more" if ready else "the browser hangs"
            self._rest += chunk
        said, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(said)
        return message


@contextmanager
def browser(folder: Path, profile: Path) -> Iterator[Page]:
    """Lend a tab of the browser that scripts/browser brought, or of the one that is installed."""
    ours, theirs = os.pipe(), os.pipe()
    flags = ["--headless=shell", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--remote-debugging-pipe", f"--user-data-dir={profile}"]  # fmt: skip
    redirected = ["bash", "-c", f'exec "$@" 3<&{theirs[0]} 4>&{ours[1]}', "bash"]
    process = subprocess.Popen(
        [*redirected, *_program(folder), *flags],
        pass_fds=(theirs[0], ours[1]),
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env={**os.environ, "LD_LIBRARY_PATH": f"{folder}/lib", "FONTCONFIG_PATH": f"{folder}/fonts"}
        if (folder / "chromium").exists()
        else None,
    )
    os.close(theirs[0])
    os.close(ours[1])
    pipe = _Pipe(ours[0], theirs[1])
    try:
        target = pipe.ask("Target.createTarget", None, {"url": "about:blank"})["targetId"]
        attached = {"targetId": target, "flatten": True}
        yield Page(pipe, pipe.ask("Target.attachToTarget", None, attached)["sessionId"])
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(ours[0])
        os.close(theirs[1])


def _program(folder: Path) -> Sequence[str | Path]:
    if (folder / "chromium").exists():
        return [folder / "chromium", "--no-zygote"]
    found = next(filter(None, map(shutil.which, INSTALLED)), None)
    assert found, f"no browser on this system; install one of: {', '.join(INSTALLED)}"
    return [found]
