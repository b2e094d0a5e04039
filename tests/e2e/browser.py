"""Chromium without a window, asked through its DevTools protocol on a pair of pipes: no port, no driver."""
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

WAIT = 120  # seconds for one answer
LEAST_CONTRAST = 4.5  # WCAG 2, AA
CONTRAST = r"""(hint => {
    const part = v => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
    const light = c => 0.2126 * part(c[0]) + 0.7152 * part(c[1]) + 0.0722 * part(c[2]);
    const colour = text => text.match(/[\d.]+/g).map(Number);
    const behind = e => { for (; e; e = e.parentElement) { const c = colour(getComputedStyle(e).backgroundColor);
                          if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
    let worst = [99, ''];
    const judge = (text, e) => {
      const pair = [light(colour(text)), light(behind(e))].sort((a, b) => b - a);
      const ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
      if (ratio < worst[0]) worst = [ratio, e.outerHTML.slice(0, 200)];
    };
    document.querySelectorAll('details').forEach(d => d.open = true);
    for (const e of document.querySelectorAll('body *')) {
      if (![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()) || !e.offsetHeight) continue;
      judge(getComputedStyle(e).color, e);
    }
    if (hint) judge(getComputedStyle(hint, '::placeholder').color, hint);
    return [worst, getComputedStyle(document.body).backgroundColor];
})"""


def program():
    """Chromium's path, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """One page at a time. What the browser logs of it (blocked scripts and loads, exceptions) is in `complaints`, what it
    loads in `requests`."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="provisioner-browser-")
        theirs_in, self.to = os.pipe()
        self.back, theirs_out = os.pipe()
        command = [program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                   "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe",
                   f"--user-data-dir={self.folder.name}", "about:blank"]
        # The browser reads from its descriptor 3 and writes to 4.
        script = f'exec 3<&{theirs_in} 4>&{theirs_out} {theirs_in}<&- {theirs_out}>&-; exec "$@"'
        if {theirs_in, theirs_out} & {3, 4}:
            script = f'exec 8<&{theirs_in} 9>&{theirs_out}; exec 3<&8 4>&9 8<&- 9>&-; exec "$@"'
        self.process = subprocess.Popen(["bash", "-c", script, "bash", *command], pass_fds=(theirs_in, theirs_out),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.rest, self.number, self.session, self.loaded = b"", 0, None, set()
        self.complaints, self.requests = [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.to)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.back)
        for _ in range(50):  # its children end a little later
            try:
                self.folder.cleanup()
                break
            except OSError:
                time.sleep(0.1)

    def receive(self):
        while b"\0" not in self.rest:
            if not select.select([self.back], [], [], WAIT)[0]:
                raise RuntimeError("the browser says nothing")
            more = os.read(self.back, 1 << 16)
            if not more:
                raise RuntimeError("the browser ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(message)
        method, params = message.get("method"), message.get("params", {})
        if method == "Page.lifecycleEvent" and params["name"] == "load":
            self.loaded.add(params["loaderId"])
        elif method == "Log.entryAdded":
            self.complaints.append(params["entry"]["text"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(params["exceptionDetails"])[:300])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        return message

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + WAIT
        while time.monotonic() < until:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
        raise RuntimeError(f"{method}: no answer")

    def open(self, path, width=1400, height=900, scheme="light", script=True):
        """Shows a file at a width; `scheme` is what prefers-color-scheme says."""
        self.complaints, self.requests = [], []
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Emulation.setScriptExecutionDisabled", value=not script)
        # This page, and not one before it, of which that may be told only now.
        loader = self.call("Page.navigate", url="file://" + os.path.abspath(path))["loaderId"]
        while loader not in self.loaded:
            self.receive()

    def ask(self, expression):
        """The value of an expression in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    def contrast(self, field=None):
        """The least contrast of a text with what is behind it, with its element, and the page's background. `field`: one whose
        placeholder counts."""
        return self.ask(f"{CONTRAST}({f'document.querySelector({json.dumps(field)})' if field else 'null'})")

    def type(self, text):
        self.call("Input.insertText", text=text)

    def press(self, key, number):
        """A key by its name and its number on Windows; Enter is a character, too."""
        text = {"text": "\r"} if key == "Enter" else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, windowsVirtualKeyCode=number, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=number)
