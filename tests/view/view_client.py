"""view_client.py - for tests of `holonom view`: its server, a client with HTTP and websockets on a plain socket, and
verdicts. Needs HOLONOM, the command."""
import base64, json, os, signal, socket, struct, subprocess, time
from urllib.parse import urlsplit

HOLONOM = os.environ["HOLONOM"]
failed = 0


def verdict(name, good, detail=""):
    global failed
    failed += not good
    print(f"{'ok     ' if good else 'FAILED '} {name}" + (f" ({detail})" if detail != "" and not good else ""), flush=True)


def status_of_verdicts():
    """Return the exit status: 1 after a failed verdict."""
    return failed > 0


class Page:
    """A websocket. `texts` has all messages received, `pictures` the newest picture of each run."""

    def __init__(self, url, host=None, origin=None, protocol="holonom", path="socket", connect=True):
        parts = urlsplit(url)
        self.host, self.port, self.base = parts.hostname, parts.port, parts.path
        self.texts, self.pictures, self.closed, self.reason, self.count = [], {}, None, "", 0
        self.buffer = b""
        self.socket = socket.create_connection((self.host, self.port), timeout=10)
        if connect:
            self.status = self.handshake(host or f"{self.host}:{self.port}", origin, protocol, path)

    def handshake(self, host, origin, protocol, path):
        key = base64.b64encode(os.urandom(16)).decode()
        origin = f"http://{self.host}:{self.port}" if origin is None else origin
        lines = [f"GET {self.base}{path} HTTP/1.1", f"Host: {host}", "Upgrade: websocket", "Connection: Upgrade",
                 f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13"]
        lines += [f"Origin: {origin}"] * bool(origin) + [f"Sec-WebSocket-Protocol: {protocol}"] * bool(protocol)
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.buffer:
            more = self.receive()
            if not more:
                return 0
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        return int(head.split()[1])

    def receive(self):
        try:
            more = self.socket.recv(1 << 16)
        except ConnectionError:
            more = b""
        self.buffer += more
        if not more:
            self.closed = self.closed or 1006
        return more

    def frame(self, opcode, payload, final=True, masked=True, length=None):
        """Send a frame, valid or invalid."""
        size = len(payload) if length is None else length
        head = bytes([opcode | (128 if final else 0)])
        head += bytes([(128 if masked else 0) | size]) if size < 126 else (
            bytes([(128 if masked else 0) | 126]) + struct.pack(">H", size) if size < 65536 else
            bytes([(128 if masked else 0) | 127]) + struct.pack(">Q", size))
        mask = b"\x11\x22\x33\x44" if masked else b""
        if masked:
            key = (mask * (len(payload) // 4 + 1))[:len(payload)]
            payload = (int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")).to_bytes(len(payload), "big")
        try:
            self.socket.sendall(head + mask + payload)
        except OSError:
            self.closed = self.closed or 1006

    def send(self, **command):
        self.frame(1, json.dumps(command).encode())

    def next_message(self):
        """Return the opcode and body of the next message received, or None if it is incomplete."""
        b = self.buffer
        if len(b) < 2:
            return None
        size, at = b[1] & 127, 2
        if size == 126 and len(b) >= 4:
            size, at = struct.unpack(">H", b[2:4])[0], 4
        elif size == 127 and len(b) >= 10:
            size, at = struct.unpack(">Q", b[2:10])[0], 10
        elif size > 125:
            return None
        if len(b) < at + size:
            return None
        self.buffer = b[at + size:]
        return b[0] & 15, b[at:at + size]

    def read(self, seconds=0.0):
        """Receive messages for the given time; return the texts among them."""
        until, found = time.monotonic() + seconds, []
        while True:
            message = self.next_message()
            if message:
                kind, body = message
                if kind == 1:
                    found.append(json.loads(body))
                elif kind == 2:
                    self.count += 1
                    self.pictures[struct.unpack_from("<I", body, 4)[0]] = body
                elif kind == 8:
                    self.closed = struct.unpack(">H", body[:2])[0] if len(body) > 1 else 1005
                    self.reason = body[2:].decode()
                continue
            rest = until - time.monotonic()
            if self.closed or rest < 0:
                break
            self.socket.settimeout(max(rest, 0.001))
            try:
                self.receive()
            except (TimeoutError, socket.timeout):
                break
        self.socket.settimeout(10)
        self.texts += found
        return found

    def wait(self, what, seconds=10.0):
        """Return the first text that satisfies `what`, or None after the given time."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self.closed:
            for text in self.read(0.02):
                if what(text):
                    return text
        return None

    def do(self, **command):
        """Send a command; return the answer, "done" or "refused"."""
        self.send(**command)
        return self.wait(lambda t: t["type"] == "refused" or t["type"] == "done" and t["command"].get("do") == command["do"])

    def head(self, lane=1):
        """Return the head of the newest picture of a run."""
        names = "mark lane generation flags bodies joints contacts boxes time steps energy drift velocity_drift " \
                "penetration impulses operations seconds factor lag worst zero"
        return dict(zip(names.split(), struct.unpack_from("<4s7I11d2I", self.pictures[lane])))

    def close(self):
        self.socket.close()


def get(url, path="", host=None, request=None):
    """Return status, headers and body of a GET, or of the literal request."""
    parts = urlsplit(url)
    s = socket.create_connection((parts.hostname, parts.port), timeout=10)
    host = host or f"{parts.hostname}:{parts.port}"
    s.sendall(request or f"GET {parts.path}{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    answer = b""
    try:
        while more := s.recv(1 << 16):
            answer += more
    except (ConnectionError, TimeoutError, socket.timeout):
        pass
    s.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = {k.lower(): v for k, _, v in (line.partition(": ") for line in lines[1:])}
    return int(lines[0].split()[1]) if len(lines[0].split()) > 1 else 0, headers, body


class View:
    """A running server; `url` is the address that it has printed."""

    def __init__(self, *arguments, **options):
        self.process = subprocess.Popen([HOLONOM, "view", *arguments, "--port", "0", "--quiet"], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, **options)
        self.url = self.process.stdout.readline().strip()

    def page(self, **options):
        page = Page(self.url, **options)
        if getattr(page, "status", None) == 101:
            page.wait(lambda t: t["type"] == "status")
        return page

    def steps(self):
        return json.loads(get(self.url, "session/1")[2].decode().splitlines()[-1])["at_step"]

    def end(self, number=signal.SIGINT):
        start = time.monotonic()
        self.process.send_signal(number)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        return self.process.wait(), time.monotonic() - start
