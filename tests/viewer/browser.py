"""A headless Chromium that is driven over its debugging protocol, which needs nothing but websockets."""

import base64
import itertools
import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# `--ignore-gpu-blocklist` lets WebGL draw by software. It would have the page around it drawn by the same, which takes
# seconds and which no browser does by itself where there is no graphics processor.
_FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
    "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--disable-gpu-rasterization",
    "--mute-audio", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--window-size=640,420",
)  # fmt: skip


_KEYS = {"Home": 36, "End": 35, "Enter": 13, "Tab": 9}


class Browser:
    """One process; each page is a tab of its own."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._process = subprocess.Popen(
            [
                str(CHROMIUM),
                *_FLAGS,
                "--remote-debugging-port=0",
                f"--user-data-dir={self._folder.name}",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        port_file = Path(self._folder.name) / "DevToolsActivePort"
        limit = time.monotonic() + 30.0
        while not (port_file.exists() and port_file.read_text().count("\n") >= 1):
            if self._process.poll() is not None or time.monotonic() > limit:
                raise RuntimeError("Chromium does not start")
            time.sleep(0.05)
        self.port = int(port_file.read_text().split()[0])

    def page(self, url: str, *, offline: bool = False) -> "Page":
        """A new tab."""
        import urllib.request

        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/json/new?about:blank", method="PUT")
        with urllib.request.urlopen(request) as answer:
            target = json.load(answer)
        return Page(target["webSocketDebuggerUrl"], url, offline)

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(10.0)
        self._folder.cleanup()


class Page:
    """A tab, what it has written to its console, and what it could not load."""

    def __init__(self, socket: str, url: str, offline: bool) -> None:
        from websockets.sync.client import connect

        self._socket = connect(socket, max_size=None)
        self._numbers = itertools.count(1)
        self.errors: list[str] = []
        self.requests: list[str] = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        if offline:
            self.call(
                "Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0
            )
        self.call("Page.navigate", url=url)

    def call(self, method: str, **arguments: Any) -> dict[str, Any]:
        """Call a method of the protocol, and take note of events meanwhile."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": arguments}))
        while True:
            answer = json.loads(self._socket.recv(timeout=60.0))
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return dict(answer["result"])
            self._note(answer)

    def _note(self, event: dict[str, Any]) -> None:
        details = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            self.errors.append(str(details["exceptionDetails"].get("exception", {}).get("description", details)))
        elif event.get("method") == "Log.entryAdded" and details["entry"]["level"] == "error":
            self.errors.append(f"{details['entry']['text']} {details['entry'].get('url', '')}")
        elif event.get("method") == "Runtime.consoleAPICalled" and details["type"] == "error":
            self.errors.append(" ".join(str(argument.get("value", "")) for argument in details["args"]))
        elif event.get("method") == "Network.requestWillBeSent":
            url = str(details["request"]["url"])
            self.requests += [] if url.startswith(("data:", "blob:")) else [url]

    def run(self, script: str) -> Any:
        """The value of a JavaScript expression; promises are awaited."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def wait(self, script: str, seconds: float = 30.0) -> None:
        """Until an expression is true."""
        limit = time.monotonic() + seconds
        while not self.run(script):
            if time.monotonic() > limit:
                raise TimeoutError(f"{script} did not become true in {seconds} s")
            time.sleep(0.05)

    def press(self, key: str) -> None:
        """Press a key."""
        for event in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=event, key=key, code=key, windowsVirtualKeyCode=_KEYS[key])

    def screenshot(self) -> bytes:
        """The page as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def close(self) -> None:
        self.call("Page.close")
        self._socket.close()


# the scene of viser's page, by the names of its nodes: held by the context that all its components share
NODES = """
(() => {
  if (window.cardanNodes) return window.cardanNodes;
  const root = document.getElementById("root");
  const key = root && Object.keys(root).find(key => key.startsWith("__reactContainer"));
  if (!key) return {};
  const stack = [root[key]];
  while (stack.length) {
    const fiber = stack.pop();
    const value = fiber.memoizedProps && fiber.memoizedProps.value;
    const found = value && value.mutable && value.mutable.current && value.mutable.current.nodeRefFromName;
    if (found) return window.cardanNodes = found;
    if (fiber.sibling) stack.push(fiber.sibling);
    if (fiber.child) stack.push(fiber.child);
  }
  return {};
})()
"""


def position(page: Page, node: str) -> list[float] | None:
    """[m] Where a node of the scene is, relative to the one above it, as the page has it."""
    found: list[float] | None = page.run(f"(n => n ? n.position.toArray() : null)({NODES}[{node!r}])")
    return found
