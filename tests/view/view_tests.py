"""view_tests.py - tests of `holonom view`: access control, hostile clients, stalled clients, several runs and pages,
failing solvers, and sessions that replay to the bit. Needs HOLONOM, the command. Prints a line per verdict, as the
shell tests do."""
import json, os, random, re, resource, shutil, signal, socket, struct, subprocess, sys, time
from concurrent.futures import ThreadPoolExecutor
from view_client import HOLONOM, Page, View, get, status_of_verdicts, verdict


def replay(path, *more):
    done = subprocess.run([HOLONOM, "replay", path, "--json", *more], capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr


def listening_at(port):
    """Return the addresses that listen on the port, as written by the kernel: 32-bit words, bytes reversed."""
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in open(table).readlines()[1:] if os.path.exists(table) else []:
            (address, at), state = line.split()[1].split(":"), line.split()[3]
            if state == "0A" and int(at, 16) == int(port):
                found.add(address)
    return sorted(found)


def access():
    print("# access control")
    v = View("chain8", "--paused")
    port, token = re.match(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/$", v.url).groups()
    verdict("listens on 127.0.0.1 only", listening_at(port) == ["0100007F"], listening_at(port))
    loopback = {"127.0.0.1": "0100007F", "::1": "0" * 24 + "01000000"}
    for address, there in [("localhost", loopback.values()), ("::1", [loopback["::1"]]),
                           ("127.0.0.5", ["0500007F"])]:
        other = View("chain8", "--paused", "--listen", address)
        at = re.match(r"http://.*:(\d+)/", other.url)
        if not at and address == "::1" and "Cannot assign" in other.process.stderr.read():
            continue  # a machine without IPv6
        found = listening_at(at.group(1)) if at else []
        verdict(f"--listen {address}: listens there only", len(found) == 1 and found[0] in there, found)
        other.end()
    status, headers, body = get(v.url)
    verdict("the page is served, or how to get it", status == 200 and len(body) > 0, status)
    policy = headers.get("content-security-policy", "")
    verdict("the page has its content policy", all(word in policy for word in ("default-src 'none'", "script-src 'self'",
                                                               "frame-ancestors 'none'")), policy)
    rest = {"x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "cache-control": "no-store",
            "cross-origin-resource-policy": "same-origin"}
    verdict("the page has the other headers", all(headers.get(k) == value for k, value in rest.items()), headers)
    status, headers, body = get(v.url, "nothing")
    verdict("unknown path: 404 without a body, with the policy",
            status == 404 and body == b"" and "content-security-policy" in headers, (status, body))
    wrong = token[:-1] + ("0" if token[-1] != "0" else "1")
    root = f"http://127.0.0.1:{port}/"
    for name, path in [("a wrong token", f"{wrong}/"), ("a short token", token[:31] + "/"), ("no token", ""),
                       ("a session without a token", "session/1"), ("a socket with a wrong token", f"{wrong}/socket")]:
        verdict(f"{name}: 404", get(root, path)[0] == 404)
    for path in ["../../etc/passwd", "..%2f..%2fetc/passwd", "/etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "live.js/../../x",
                 "session/../../x", "session/0", "session/5", "session/11", "session/2", "live.html", "a" * 3000]:
        status, _, body = get(v.url, path)
        verdict(f"path {path[:30]}: refused", status in (403, 404, 414, 431, 400) and b"root:" not in body, status)
    for host in ["evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{int(port) + 1}", f"127.0.0.1.evil:{port}",
                 f"127.0.0.1:{port}@evil"]:
        verdict(f"host {host.replace(port, 'PORT')}: 403", get(v.url, host=host)[0] == 403)
    for host in [f"localhost:{port}", f"[::1]:{port}"]:
        verdict(f"host {host.replace(port, 'PORT')}: accepted", get(v.url, host=host)[0] == 200)
    for origin in ["http://evil.example", f"https://127.0.0.1:{port}", "null", "", f"http://127.0.0.1:{port}.evil"]:
        page = Page(v.url, origin=origin)
        verdict(f"a socket for origin '{origin.replace(port, 'PORT')}': 403", page.status == 403, page.status)
        page.close()
    for name, options, expected in [("host", {"host": f"evil:{port}"}, (403,)), ("path", {"path": "sockets"}, (404,)),
                                    ("protocol", {"protocol": "chat"}, (0, 400, 403, 404)), ("none", {"protocol": ""}, (0, 400, 403, 404))]:
        page = Page(v.url, **options)
        verdict(f"a socket with another {name}: refused", page.status in expected, page.status)
        page.close()
    verdict("POST: refused", get(v.url, request=f"POST /{token}/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 2\r\n\r\nhi".encode())[0] in (403, 404, 405))
    verdict("not HTTP: refused", get(v.url, request=b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n")[0] in (0, 400, 403, 404))
    wide = View("chain8", "--paused", "--listen", "0.0.0.0")
    at = wide.url.split("/")[2].split(":")[1]
    home = wide.url.replace("0.0.0.0", "127.0.0.1")
    for host, status in [(f"192.0.2.7:{at}", 200), (f"[2001:db8::7]:{at}", 200), (f"evil.example:{at}", 403),
                         (f"192.0.2.7:{int(at) + 1}", 403), (f"192.0.2.7.evil:{at}", 403), ("192.0.2.7", 403),
                         (f"[evil]:{at}", 403), (f"192.0.2.7]:{at}", 403), (f"2001:db8::7:{at}", 403)]:
        verdict(f"--listen 0.0.0.0, host {host.replace(at, 'PORT')}: {status}",
                get(home, host=host)[0] == status)
    wide.end()
    taken = subprocess.run([HOLONOM, "view", "chain8", "--port", port], capture_output=True, text=True)
    verdict("a port in use: status 2 and one line", taken.returncode == 2 and taken.stderr.count("\n") == 1 and
            port in taken.stderr and "in use" in taken.stderr and taken.stdout == "",
            (taken.returncode, taken.stderr))
    status, seconds = v.end()
    verdict(f"Ctrl-C while paused: ends in {seconds:.2f} s, at most 1", status == 0 and seconds < 1, (status, seconds))


def hostile():
    print("# hostile clients")
    v = View("chain8", "--fast")
    good = v.page()
    start = time.monotonic()
    half = [socket.create_connection(("127.0.0.1", good.port)) for _ in range(20)]
    for s in half[:10]:
        s.sendall(b"GET /" + b"a" * 100)
    names = ["a reserved opcode", "an unfinished control frame", "a long control frame", "a binary frame",
             "an excessive size", "text that is not UTF-8"]
    frames = [dict(opcode=11, payload=b"x"), dict(opcode=9, payload=b"x", final=False),
              dict(opcode=9, payload=b"x" * 200), dict(opcode=2, payload=b"{}"), dict(opcode=1, payload=b"x" * 100, length=1 << 62)]
    for name, frame in zip(names, frames):
        page = v.page()
        page.frame(**frame)
        page.wait(lambda t: False, 3)
        verdict(f"a frame, {name}: disconnected", page.closed is not None, page.closed)
        page.close()
    page = v.page()
    page.frame(1, b"{\"do\":\"\xff\xfe\"}")
    answer = page.wait(lambda t: t["type"] == "refused", 3)
    verdict("text that is not UTF-8: refused, or disconnected", answer is not None or page.closed is not None)
    page.close()
    page = v.page()
    page.frame(1, b"{\"do\":\"impulse\",\"x\":\"" + b"y" * 70000 + b"\"}")
    page.wait(lambda t: False, 3)
    verdict("a message of 70 kB: disconnected, 1009", page.closed == 1009, (page.closed, page.reason))
    page.close()
    page = v.page()
    for _ in range(300):
        page.frame(0 if _ else 1, b"x" * 1000, final=False)
    page.wait(lambda t: False, 3)
    verdict("an endless message in small fragments: disconnected, 1009", page.closed in (1009, 1006), (page.closed, page.reason))
    page.close()
    page = v.page()
    for _ in range(1000):
        page.send(do="pause", id_of=1)
    page.wait(lambda t: False, 5)
    verdict("1000 messages in a row: disconnected, 1008", page.closed in (1008, 1006), (page.closed, page.reason))
    page.close()
    verdict("the other page still works", good.do(do="play")["type"] == "done")
    for name, text, words in [("NaN", '{"do":"impulse","body":"link1","at":[NaN,0,0],"impulse":[0,0,0]}', "invalid token"),
                              ("1e999", '{"do":"speed","factor":1e999}', "overflow"), ("no object", "[1]", "not an object"),
                              ("deep", "[" * 5000, "depth"), ("twice the same key", '{"do":"pause","do":"play"}', "duplicate"),
                              ("empty", "", "not an object"), ("two", '{"do":"pause"}{"do":"play"}', "end of file")]:
        good.frame(1, text.encode())
        answer = good.wait(lambda t: t["type"] == "refused")
        verdict(f"{name}: refused, '{words}'", answer is not None and words in answer["text"], answer)
    for command, words in [({"do": "impulse", "body": "link99", "at": [0, 0, 0], "impulse": [0, 0, 0]}, "no body"),
                           ({"do": "impulse", "body": "link1", "at": [0, 0], "impulse": [0, 0, 0]}, "three finite"),
                           ({"do": "jump"}, "no command"), ({"do": "speed", "factor": -1}, "factor"), ({"do": 5}, '"do"'),
                           ({}, '"do"'), ({"do": "drop", "lane": 1}, "last lane"), ({"do": "drop", "lane": 7}, "no such lane"),
                           ({"do": "pause", "lane": 1}, "can name a lane"), ({"do": "step", "size": 0.01, "lane": 3}, "no such lane"),
                           ({"do": "fork", "spec": "nothing"}, "no solver"), ({"do": "load", "slot": 4}, "nothing in slot"),
                           ({"do": "release", "id": "x"}, "no grip"), ({"do": "solver", "spec": "./evil.so"}, "no solver"),
                           ({"do": "pause", "file": "/etc/passwd"}, "no key"), ({"do": "set", "name": "n", "value": "12"}, "changes the bodies")]:
        answer = good.do(**command, id_of="mine")
        verdict(f"{json.dumps(command)}: '{words}'", answer is not None and answer["type"] == "refused" and words in answer["text"] and
                answer["id_of"] == "mine" and answer["command"] == command, answer)
    verdict("no run was added by them", len(good.wait(lambda t: t["type"] == "status")["lanes"]) == 1)
    time.sleep(0.3)
    pages = [v.page() for _ in range(15)]
    verdict("16 pages", all(p.status == 101 and not p.closed for p in pages) and not good.closed)
    more = Page(v.url)
    more.wait(lambda t: False, 2)
    verdict("the 17th: disconnected with a reason", more.closed == 1008 and "too many pages" in more.reason, (more.closed, more.reason))
    for p in pages:
        p.close()
    time.sleep(0.3)
    verdict("after they have left, a new page is accepted", v.page().closed is None)
    time.sleep(max(0, 6.5 - (time.monotonic() - start)))
    alive = 0
    for s in half:
        s.settimeout(2)
        try:
            alive += s.recv(100)[:8] == b"never"
        except (TimeoutError, socket.timeout):
            alive += 1
        except ConnectionError:
            pass
    verdict("20 connections without a complete request: none is open after 5 s", alive == 0, alive)
    verdict("the server still works", good.do(do="pause")["type"] == "done")
    status, seconds = v.end()
    verdict(f"Ctrl-C: ends in {seconds:.2f} s, at most 1", status == 0 and seconds < 1, (status, seconds))


def crowded():
    print("# 1000 connections that send nothing, or a byte")
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, limit), limit))
    v = View("chain8")
    good, crowd, slowest, joined = v.page(), [socket.socket() for _ in range(1000)], 0, 0
    for i, s in enumerate(crowd):
        s.setblocking(False)
        s.connect_ex(("127.0.0.1", good.port))
    for s in crowd[::2]:
        try:
            s.send(b"G")
        except OSError:
            pass
    for _ in range(5):
        start = time.monotonic()
        try:
            fresh = get(v.url, "")[0] == 200
            page = v.page()
            joined += fresh and page.status == 101 and page.closed is None
            page.close()
        except OSError:
            pass
        slowest = max(slowest, time.monotonic() - start)
    verdict(f"{joined} of 5 pages are loaded and join, in {slowest:.2f} s at most (bound 2 s)", joined == 5 and slowest < 2)
    verdict("the client that was there before remains", good.do(do="pause")["type"] == "done" and not good.closed)
    for s in crowd:
        s.close()
    status, seconds = v.end()
    verdict(f"Ctrl-C: ends in {seconds:.2f} s, at most 1", status == 0 and seconds < 1, (status, seconds))


def stalls():
    print("# pages that read nothing")
    v = View("chain8", "--fast")

    def rate(seconds=0.8):
        before, start = v.steps(), time.monotonic()
        time.sleep(seconds)
        return (v.steps() - before) / (time.monotonic() - start)

    alone = rate()
    stalled = []
    for _ in range(8):
        page = v.page()
        page.send(do="want", boxes=True, forces=True, contacts=True)
        stalled.append(page)
    with_them = rate()
    verdict(f"8 of them: {with_them:.0f} steps per second, {alone:.0f} without; at least half", with_them > 0.5 * alone)
    reader = v.page()
    verdict("another page works meanwhile", reader.do(do="pause")["type"] == "done")
    v.end()


def two_pages():
    print("# two pages, and several runs")
    v = View("chain8", "--solvers", "impulse-sle,xpbd", "--step", "0.005")
    a, b = v.page(), v.page()
    a.send(do="want", contacts=True)
    done = a.do(do="pause", id_of=3)
    verdict("the other page gets the message", b.wait(lambda t: t == done) is not None)
    a.read(0.3), b.read(0.3)
    verdict("both have equal pictures of both runs", a.pictures == b.pictures and sorted(a.pictures) == [1, 2])
    heads = a.head(1), a.head(2)
    verdict("both runs are at the same time and step", heads[0]["time"] == heads[1]["time"] and heads[0]["steps"] == heads[1]["steps"] > 0, heads)
    before = a.head(1)["steps"]
    a.do(do="once")
    a.read(0.3)
    verdict("a single step", a.head(1)["steps"] == before + 1, (before, a.head(1)["steps"]))
    poses = struct.unpack_from("<7d", a.pictures[1], 128)
    size = 128 + 56 * a.head()["bodies"]
    verdict("a picture has its length, and unit quaternions", len(a.pictures[1]) == size and
            abs(sum(x * x for x in poses[3:]) - 1) < 1e-9, len(a.pictures[1]))
    a.do(do="grip", id="mine", body="link4", at=list(poses[:3]), stiffness=10, damping=1)
    grips = b.wait(lambda t: t["type"] == "status" and t["grips"])
    verdict("the other page has the mouse spring", grips and grips["grips"][0]["id"] == "mine" and grips["grips"][0]["body"] == "link4", grips)
    a.do(do="save", slot=1), a.do(do="release", id="mine"), a.do(do="load", slot=1)
    c = v.page()
    for page, id, name in [(c, "other", "a mouse spring is released when its page disconnects"),
                           (a, "mine", "a mouse spring restored with a state is released, too")]:
        if page == c:
            c.do(do="grip", id="other", body="link4", at=list(poses[:3]), stiffness=10, damping=1)
        b.read(0.2), page.close()
        done = [t["command"] for t in b.read(0.5) if t["type"] == "done"]
        verdict(name, done == [{"do": "release", "id": id}], done)
    b.do(do="reset"), b.do(do="fork", spec="lagrange")
    lanes = b.wait(lambda t: t["type"] == "status" and len(t["lanes"]) == 3)["lanes"]
    verdict("a third run", [l["spec"].split(":")[0] for l in lanes] == ["impulse-sle", "xpbd", "lagrange"], lanes)
    verdict("a fourth run", b.do(do="fork", spec="taylor")["type"] == "done")
    verdict("no fifth run", b.do(do="fork", spec="taylor")["type"] == "refused")
    b.do(do="play")
    b.read(0.4)
    b.do(do="step", size=0.002, lane=3), b.do(do="pause"), b.do(do="drop", lane=2)
    texts = [get(v.url, f"session/{k}") for k in (1, 2, 3, 4)]
    verdict("a dropped run has no session", [t[0] for t in texts] == [200, 404, 200, 200])
    for k, (_, headers, text) in enumerate(texts, 1):
        if k != 2:
            open("lane", "wb").write(text)
            status, answer, words = replay("lane")
            verdict(f"session {k}, {answer.get('solver', '').split(':')[0]} replays to its hash", status == 0 and answer["same"], words)
    verdict("sessions are served as downloads", "attachment" in texts[0][1].get("content-disposition", ""))
    v.end()


def many_runs():
    print("# runs that are added and dropped")
    v = View("chain8", "--paused", "--session", "lanes")
    page = v.page()
    answers = []
    while len(answers) < 70 and (not answers or answers[-1]["type"] == "done"):
        answers.append(page.do(do="fork", spec="impulse-sle"))
        if answers[-1]["type"] == "done":
            page.do(do="drop", lane=2)
    files = [name for name in os.listdir(".") if name.startswith("lanes")]
    verdict(f"dropped runs leave {len(files)} files, at most 64; further ones are refused", len(files) == 64 and
            "limit for session files" in answers[-1].get("text", ""), (len(files), answers[-1]))
    v.end()


def broken():
    print("# a scene that fails")
    open("broken.lua", "w").write('''local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, 0, -9.81 } }
local a = sys:body { name = "a", shape = scene.box { 1, 1, 1 }, density = 1, position = { 0, 0, 0 } }
sys:ball { sys.ground, a, at = { 0, 0, 0 } } sys:ball { sys.ground, a, at = { 0, 0, 0 }, name = "again" }
sys:defaults { solver = "impulse-sle", step = 0.01 }
return sys''')
    v = View("./broken.lua")
    page = v.page()
    status = page.wait(lambda t: t["type"] == "status" and t["lanes"][0]["ended"])
    verdict("failure at the first step: the page gets the reason", status and status["lanes"][0]["ended"] == "singular" and
            status["lanes"][0]["explanation"], status)
    page.do(do="parameter", key="redundancy", value="min-norm", lane=1)
    page.read(0.5)
    verdict("another parameter: the run continues", page.head()["steps"] > 5, page.head())
    verdict("Ctrl-C", v.end()[0] == 0)
    for name, arguments, words in [("no such scene", ["nothing.lua"], "nothing.lua"), ("no such solver", ["chain8", "--solver", "x"], "no solver"),
                                   ("two kinds of solvers", ["chain8", "--solver", "xpbd", "--solvers", "xpbd"], "both"),
                                   ("five lanes", ["chain8", "--solvers", "xpbd,xpbd,xpbd,xpbd,xpbd"], "4 lanes"),
                                   ("a port", ["chain8", "--port", "70000"], "65535"),
                                   ("a foreign address", ["chain8", "--listen", "203.0.113.1", "--port", "0"], "cannot listen")]:
        done = subprocess.run([HOLONOM, "view", *arguments], capture_output=True, text=True, timeout=10)
        verdict(f"{name}: status 2", done.returncode == 2 and words in done.stderr and done.stdout == "", (done.returncode, done.stderr))


def stalled():
    print("# a solver that stalls, with control that counts its calls and edits the model")
    shutil.copy(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "counts.lua"), ".")
    v = View("./counts.lua", "--set", "kick=0.001", "--set", "bob=10")
    page = v.page()
    page.read(0.3)
    page.do(do="solver", spec="impulse-gs:iterations=1")
    status = page.wait(lambda t: t["type"] == "status" and t["lanes"][0]["ended"])
    verdict("the solver has stalled", status and status["lanes"][0]["ended"] == "stalled", status)
    page.do(do="impulse", body="rod3", at=[2, 0, 0], impulse=[0, 5, 0]), page.do(do="solver", spec="impulse-sle")
    page.read(0.3), page.do(do="pause")
    answer = page.do(do="fork", spec="impulse-sle")
    verdict("the run is copied", answer["type"] == "done", answer)
    page.do(do="solver", spec="impulse-sle", lane=1), page.do(do="play")
    page.read(0.3), page.do(do="pause"), page.read(0.2)
    texts = [get(v.url, f"session/{k}")[2] for k in (1, 2)]
    page.do(do="speed", factor=0), page.do(do="play")
    for _ in range(300):
        page.read(0.1)
        if page.head()["steps"] > 10100:
            break
    page.do(do="pause")
    answer = page.do(do="fork", spec="impulse-sle")
    verdict(f"after {page.head()['steps']:.0f} steps it cannot be copied", answer["type"] == "refused" and "reset first" in answer["text"], answer)
    page.do(do="reset")
    verdict("after a reset it is copied", page.do(do="fork", spec="impulse-sle")["type"] == "done")
    v.end()
    ends = [json.loads(text.splitlines()[-1]) if text else k for k, text in enumerate(texts)]
    verdict(f"the copy continues like the original, {ends[0]}", ends[0] == ends[1], ends[1])
    failures = texts[0].count(b'"fail"')
    verdict(f"failed steps are in the session, {failures}, at least 1", failures >= 1)
    for k, text in enumerate(texts, 1):
        open("stalled", "wb").write(text)
        status, answer, words = replay("stalled", "--save", "saved")
        verdict(f"session {k} replays to its hash", status == 0 and answer["same"], words)
        verdict(f"session {k}: its replay saves an equal file", open("saved", "rb").read() == text)


def many(pages):
    """Send 200 commands as fast as allowed, by several pages in turn; compare ten replays of the session."""
    r = random.Random(7)
    v = View("chain8", "--speed", "3", "--session", f"kept{pages}")
    page = [v.page() for _ in range(pages)]
    held, sent, slots, made = [], 0, [], 0
    while sent < 200:
        kind = r.choice(["impulse"] * 6 + ["grip", "target", "target", "target", "release", "solver", "step", "once", "play",
                                           "play", "add", "save", "load", "reset"])
        command = {"do": kind}
        if kind in ("target", "release") and not held or kind == "load" and not slots or kind == "grip" and len(held) > 2:
            continue
        near = lambda: [0.4 + r.uniform(-1, 1), -0.3 + r.uniform(-1, 1), 0]
        if kind == "impulse":
            command |= {"body": f"link{r.randint(1, 8)}", "at": near(), "impulse": [r.uniform(-0.2, 0.2) for _ in range(3)]}
        elif kind == "grip":
            made += 1
            held.append(f"p{made}")
            command |= {"id": held[-1], "body": "link1", "at": near(), "stiffness": r.uniform(1, 9), "damping": 0.5}
        elif kind == "target":
            command |= {"id": r.choice(held), "to": near()}
        elif kind == "release":
            command |= {"id": held.pop()}
        elif kind == "solver":
            command |= {"spec": r.choice(["impulse-sle", "tgs-soft", "xpbd"])}
        elif kind == "step":
            command |= {"size": r.choice([0.005, 0.01])}
        elif kind == "add":
            made += 1
            command |= {"name": f"b{made}", "shape": "sphere", "size": [0.1], "at": near(), "mass": 0.1}
        elif kind in ("save", "load"):
            if kind == "save" and held:
                continue
            slots = [1]
            command |= {"slot": 1}
        if kind in ("load", "reset"):
            held = []
        page[sent % pages].send(**command)
        sent += 1
        time.sleep(r.uniform(0, 0.012))
        page[sent % pages].read(0)
    time.sleep(0.1)
    page[0].do(do="pause")
    time.sleep(0.2)
    text = get(v.url, "session/1")[2]
    status, seconds = v.end()
    verdict(f"{pages} pages: Ctrl-C", status == 0 and seconds < 1, (status, seconds))
    open("session", "wb").write(text)
    count = len(text.splitlines()) - 2
    verdict(f"{count} commands are in the session", count >= 195)
    verdict("its file equals the downloaded session", open(f"kept{pages}", "rb").read() == text)
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda _: replay("session"), range(10)))
    hashes = {a[1].get("hash") for a in answers}
    verdict(f"replayed ten times: {answers[0][1].get('steps')} steps, {', '.join(map(str, hashes))}",
            len(hashes) == 1 and all(a[0] == 0 and a[1]["same"] for a in answers), answers[0][2])


def killed():
    print("# kill -9")
    v = View("chain8", "--session", "lost")
    page = v.page()
    for k in range(20):
        page.send(do="impulse", body="link3", at=[0, 0, 0], impulse=[0.1, 0, 0])
        page.read(0.01)
    last = page.do(do="pause")["at_step"]
    v.end(signal.SIGKILL)
    status, answer, words = replay("lost.part")
    verdict("the remaining file has no end, and replays to its last line", status == 1 and "is missing" in words and answer["steps"] == last and answer["commands"] == 21,
            (status, answer, words))


for test in [access, hostile, crowded, stalls, two_pages, many_runs, broken, stalled,
             lambda: (print("# sessions"), many(1), many(3)), killed]:
    test()
sys.exit(status_of_verdicts())
