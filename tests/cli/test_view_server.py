"""`view --serve`: the page, the recording while it is written, and clients of every kind."""

import concurrent.futures
import http.client
import json
import os
import re
import resource
import signal
import socket
import struct
import subprocess
import time
import zlib

from support import CROSS, main, settings
from test_view import MAGIC, SCENE, VERSION, ViewTest, chunk_ends, elements

PIECE = 8 << 20  # bytes of one answer, at most


def chunk(kind, payload):
    body = kind + struct.pack("<Q", len(payload)) + payload
    return body + struct.pack("<I", zlib.crc32(body))


class Server(ViewTest):
    def serve(self, *arguments, **options):
        """A server in the background and its port, once it has told its address."""
        process = subprocess.Popen([settings.program, "view", *arguments, "--serve", "--json"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        line = process.stdout.readline()
        self.assertTrue(line, process.stderr.read() if process.poll() is not None else "no address")
        told = json.loads(line)
        self.assertEqual(told["url"], "http://127.0.0.1:%d/" % told["port"])
        self.port = told["port"]
        return process

    def ask(self, path, method="GET", headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def raw(self, request, timeout=20):
        """All that comes back for these bytes until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as stream:
            try:
                stream.sendall(request)
            except OSError:
                pass  # it may have said no before all was sent
            answer = b""
            while part := stream.recv(65536):
                answer += part
            return answer

    def status(self, request):
        answer = self.raw(request)
        self.assertRegex(answer, rb"\AHTTP/1\.1 \d+ ")
        return int(answer.split()[1])

    def address(self):
        """Where the page looks for its recording."""
        status, headers, body = self.ask("/")
        self.assertEqual((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        (attributes, content), = elements(body.decode(), "tandem-data")
        self.assertEqual(content, "")
        return "/" + attributes["data-live"]

    def fetch(self, address, offset=0, patience=60):
        """As the page does: from where it is, until the answer says that it is the last."""
        data, deadline = b"", time.monotonic() + patience
        while time.monotonic() < deadline:
            status, headers, body = self.ask("%s?from=%d" % (address, offset + len(data)))
            self.assertEqual(status, 200)
            self.assertLessEqual(len(body), PIECE)
            data += body
            if headers.get("X-Tandem-Done") == "1":
                return data
            time.sleep(0 if body else 0.02)
        self.fail("no end")

    def ends(self, process, number=signal.SIGINT):
        process.send_signal(number)
        self.assertEqual(process.wait(timeout=20), 0)
        self.assertEqual(process.stderr.read(), "")
        with self.assertRaises(OSError):
            socket.create_connection(("127.0.0.1", self.port), timeout=5)

    # -----------------------------------------------------------------------------------------------------------------

    def test_page_and_recording(self):
        data = self.record()
        process = self.serve("fall.rec")
        status, headers, body = self.ask("/")
        self.assertEqual((status, int(headers["Content-Length"]), headers["Cache-Control"]), (200, len(body), "no-store"))
        (attributes, _), = elements(body.decode(), "tandem-data")
        self.assertEqual(attributes["data-name"], "fall.rec")
        # The same page as the one that is written, but for the data.
        self.ok("view", "fall.rec", "-q")
        strip = lambda page: re.sub(r'<script id="tandem-data"[^<]*</script>', "", page)
        self.assertEqual(strip(body.decode()), strip(self.page("fall.html")))
        for address in (self.address(), "/recording"):
            status, headers, body = self.ask(address)
            self.assertEqual((status, body, headers["X-Tandem-Done"]), (200, data, "1"))
            self.assertEqual((headers["Content-Type"], headers["Cache-Control"]), ("application/octet-stream", "no-store"))
            self.assertEqual(self.ask(address + "?from=100")[2], data[100:])
            status, headers, body = self.ask("%s?from=%d" % (address, len(data)))
            self.assertEqual((status, headers["Content-Length"], body, headers["X-Tandem-Done"]), (200, "0", b"", "1"))
            self.assertEqual(self.ask("%s?from=%d" % (address, len(data) + 1))[0], 410)
        self.assertEqual(self.names(), ["fall.html", "fall.json", "fall.rec"])
        self.ends(process)

    def test_address_for_people(self):
        self.record()
        process = subprocess.Popen([settings.program, "view", "fall.rec", "--serve"], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.assertRegex(process.stdout.readline(), r"\Afall.rec is shown at http://127\.0\.0\.1:\d+/ until Ctrl-C\n\Z")
        process.terminate()
        self.assertEqual(process.wait(timeout=20), 0)

    def test_head(self):
        data = self.record()
        self.serve("fall.rec")
        status, headers, body = self.ask("/recording?from=10", "HEAD")
        self.assertEqual((status, headers["Content-Length"], body, headers["X-Tandem-Done"]), (200, str(len(data) - 10), b"", "1"))
        status, headers, body = self.ask("/", "HEAD")
        self.assertEqual((status, body, headers["Content-Length"]), (200, b"", self.ask("/")[1]["Content-Length"]))
        self.assertEqual(self.ask("/none", "HEAD")[0], 404)

    def test_one_connection_for_all(self):
        data = self.record()
        self.serve("fall.rec")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        self.addCleanup(connection.close)
        for i in range(50):
            connection.request("GET", "/recording?from=%d" % i)
            answer = connection.getresponse()
            self.assertEqual((answer.status, answer.read()), (200, data[i:]))
        # Requests that do not wait for the answers; the last one closes.
        many = b"".join(b"GET /recording?from=%d HTTP/1.1\r\nHost: localhost\r\n\r\n" % i for i in range(60))
        answer = self.raw(many + b"HEAD / HTTP/1.1\r\nHost: [::1]:80\r\nConnection: close\r\n\r\n")
        self.assertEqual(answer.count(b"HTTP/1.1 200 OK\r\n"), 61)
        for i in (0, 30, 59):
            self.assertIn(b"\r\n\r\n" + data[i:] + b"HTTP/1.1 200", answer)

    def test_pieces(self):
        """A file larger than an answer. What is in it is the page's business."""
        data = MAGIC + struct.pack("<I", VERSION) + os.urandom(2 * PIECE + 12345) + chunk(b"END.", bytes(16))
        self.write("large.rec", data)
        self.serve("large.rec")
        status, headers, body = self.ask("/recording")
        self.assertEqual((len(body), headers.get("X-Tandem-Done")), (PIECE, None))
        self.assertEqual(self.fetch(self.address()), data)

    def test_grows(self):
        data = self.record()
        ends = [12] + chunk_ends(data)
        process = self.serve("late.rec")
        self.assertIn("late.rec does not exist yet", process.stderr.readline())
        address = self.address()
        self.assertEqual(self.ask(address)[::2], (200, b""))
        seen = b""
        cuts = sorted(set([0, 5, 11] + ends + [end - 3 for end in ends[1:]]))
        with open(self.path("late.rec"), "wb") as file:
            for begin, end in zip(cuts, cuts[1:]):
                file.write(data[begin:end])
                file.flush()
                status, headers, body = self.ask("%s?from=%d" % (address, len(seen)))
                seen += body
                self.assertEqual((status, seen), (200, data[:end]))
                self.assertEqual(headers.get("X-Tandem-Done"), "1" if end == len(data) else None)
        self.assertEqual(self.address(), address)
        self.ends(process)

    def test_end_mark(self):
        """Only a whole end mark counts."""
        data = self.record(steps=3)
        flipped = bytearray(data)
        flipped[-1] ^= 1
        for name, content in (("short.rec", data[:-1]), ("flipped.rec", bytes(flipped)), ("longer.rec", data + b"\0")):
            self.write(name, content)
            process = self.serve(name)
            status, headers, body = self.ask("/recording")
            self.assertEqual((status, body), (200, content))
            self.assertNotIn("X-Tandem-Done", headers)
            self.ends(process)

    def test_while_a_simulation_runs(self):
        process = self.serve("live.rec", "--quiet")
        address = self.address()
        simulation = subprocess.Popen([settings.program, "simulate", "cows", "--set", "n=3", "--steps", "60", "-q", "-o",
                                       "live.rec"], cwd=self.folder, stdout=subprocess.DEVNULL)
        data = self.fetch(address, patience=200)
        self.assertEqual(simulation.wait(timeout=20), 0)
        self.assertEqual(data, self.bytes("live.rec"))
        self.assertEqual(self.about(data)["frames"], 61)
        self.ends(process)

    def test_replaced(self):
        data = self.record(steps=20)
        self.serve("fall.rec")
        first = self.address()
        self.assertEqual(self.fetch(first), data)

        def gone(old):
            self.assertEqual(self.ask("%s?from=%d" % (old, 10))[0], 410)
            new = self.address()
            self.assertNotEqual(new, old)
            self.assertEqual(self.fetch(new), self.bytes("fall.rec"))
            self.assertEqual(self.ask(old)[0], 410)
            return new

        # Written anew under the same name: longer than before, of the same length, and by another simulation.
        self.write("fall.json", json.dumps({**SCENE, "gravity": [0, -5, 0]}))
        self.record(steps=30)
        second = gone(first)
        again = bytearray(self.bytes("fall.rec"))
        again[-40] ^= 1
        with open(self.path("fall.rec"), "r+b") as file:
            file.write(again)
        third = self.address()
        self.assertNotEqual(third, second)
        # Cut.
        os.truncate(self.path("fall.rec"), 5)
        self.assertEqual(self.ask(third)[0], 410)
        # Another file of the name.
        self.write("other.rec", data)
        os.rename(self.path("other.rec"), self.path("fall.rec"))
        fourth = gone(third)
        # Removed: the page waits for the next one.
        os.remove(self.path("fall.rec"))
        self.assertEqual(self.ask("%s?from=7" % fourth)[0], 410)
        fifth = self.address()
        self.assertEqual(self.ask(fifth)[::2], (200, b""))
        self.write("fall.rec", data)
        self.assertEqual(self.fetch(fifth), data)

    def test_unreadable_meanwhile(self):
        self.serve("later.rec", "--quiet")
        os.mkfifo(self.path("later.rec"))
        self.assertEqual(self.ask("/recording")[0], 503)
        os.remove(self.path("later.rec"))
        self.assertEqual(self.ask("/recording")[::2], (200, b""))

    def test_nothing_else(self):
        self.record()
        self.write("secret", "secret")
        self.serve("fall.rec")
        for path in ("/secret", "/fall.rec", "/recording/../secret", "/../secret", "//", "/recording/", "/recording/x",
                     "/recording/0/", "/recordings", "/%2e%2e/secret", "/index.html", "/favicon.ico", "/recording%3ffrom=0"):
            status, _, body = self.ask(path)
            self.assertEqual(status, 404, path)
            self.assertNotIn(b"secret", body)
        for path in ("/recording?from=", "/recording?from=-1", "/recording?from=1x", "/recording?to=1", "/recording?from=1&x=2",
                     "/recording?from=99999999999999999999", "/recording?from", "/recording?1"):
            self.assertEqual(self.ask(path)[0], 400, path)
        self.assertEqual(self.ask("/recording?from=999999999999999999")[0], 410)
        self.assertEqual(self.ask("/?frame=7")[0], 200)

    def test_methods(self):
        self.record()
        self.serve("fall.rec")
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "CONNECT"):
            answer = self.raw(b"%s / HTTP/1.1\r\nHost: localhost\r\n\r\n" % method.encode())
            self.assertTrue(answer.startswith(b"HTTP/1.1 405 "), method)
            self.assertIn(b"\r\nAllow: GET, HEAD\r\n", answer)

    def test_hosts(self):
        """Another site whose name is made to point to this machine gets nothing."""
        self.record()
        self.serve("fall.rec")
        for host in ("localhost", "LocalHost:%d" % self.port, "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:8080"):
            self.assertEqual(self.ask("/recording", headers={"Host": host})[0], 200, host)
        for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "localhost:", "localhost:x", "10.0.0.1",
                     "[::2]", "127.0.0.2", "", "evil.example:%d" % self.port, "localhost@evil.example", "xlocalhost"):
            for path in ("/", "/recording", "/none"):
                self.assertEqual(self.ask(path, headers={"Host": host})[0], 403, host)

    def test_bad_requests(self):
        self.record()
        self.serve("fall.rec")
        host = b"Host: localhost\r\n"
        for request, status in (
                (b"\r\n\r\n", 400),
                (b"hello\r\n\r\n", 400),
                (b"GET\r\n\r\n", 400),
                (b"GET /\r\n\r\n", 400),
                (b"GET / HTTP/1.1\r\n\r\n", 400),
                (b"GET / HTTP/1.1\r\n" + host + host + b"\r\n", 400),
                (b"GET / HTTP/2.0\r\n" + host + b"\r\n", 505),
                (b"GET / HTP/1.1\r\n" + host + b"\r\n", 400),
                (b"GET  / HTTP/1.1\r\n" + host + b"\r\n", 400),
                (b"get / HTTP/1.1\r\n" + host + b"\r\n", 400),
                (b"GET x HTTP/1.1\r\n" + host + b"\r\n", 400),
                (b"GET http://localhost/ HTTP/1.1\r\n" + host + b"\r\n", 400),
                (b"GET / HTTP/1.1 \r\n" + host + b"\r\n", 505),
                (b"GET / HTTP/1.1\r\n" + host + b"no colon\r\n\r\n", 400),
                (b"GET / HTTP/1.1\r\n" + host + b": x\r\n\r\n", 400),
                (b"GET / HTTP/1.1\r\n" + host + b"a b: x\r\n\r\n", 400),
                (b"GET / HTTP/1.1\r\n" + host + b" folded: x\r\n\r\n", 400),
                (b"GET /\0 HTTP/1.1\r\n" + host + b"\r\n", 400),
                (b"GET / HTTP/1.1\r\n" + host + b"x: \x01\r\n\r\n", 400),
                (b"GET / HTTP/1.1\r\n" + host + b"Content-Length: 5\r\n\r\nhello", 400),
                (b"GET / HTTP/1.1\r\n" + host + b"Content-Length: x\r\n\r\n", 400),
                (b"GET / HTTP/1.1\r\n" + host + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501),
                (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n\n", 400),
                (b"GET /" + b"x" * 100000 + b" HTTP/1.1\r\n" + host + b"\r\n", 431),
                (b"GET / HTTP/1.1\r\n" + host + b"x: " + b"y" * 10000 + b"\r\n\r\n", 431),
                (b"GET / HTTP/1.1\r\n" + host + b"x: y\r\n" * 3000000, 431),
                (b"GET / HTTP/1.0\r\n" + host + b"\r\n", 200),
                (b"GET / HTTP/1.1\n" + b"Host:localhost\nConnection: close\n\n", 200),
                (b"GET / HTTP/1.1\r\n" + host + b"Connection: x, Close\r\nContent-Length: 0\r\n\r\n", 200)):
            self.assertEqual(self.status(request), status, request[:80])
        self.assertEqual(self.ask("/")[0], 200)

    def test_half_a_request(self):
        """Comes in two, or never: then the server goes on without it."""
        self.record()
        process = self.serve("fall.rec")
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as stream:
            for part in (b"HEA", b"D / HTTP/1.1\r", b"\nHost: localhost\r\nConnec", b"tion: close\r\n\r", b"\n"):
                stream.sendall(part)
                time.sleep(0.02)
            self.assertTrue(stream.recv(4096).startswith(b"HTTP/1.1 200 OK\r\n"))
        for part in (b"", b"GET", b"GET / HTTP/1.1\r\nHost: localhost\r\n"):
            with socket.create_connection(("127.0.0.1", self.port), timeout=20) as stream:
                stream.sendall(part)
        self.assertEqual(self.ask("/")[0], 200)
        self.ends(process)

    def test_slow_clients(self):
        """Some ask for much and read nothing, some never finish their request: others do not notice."""
        data = MAGIC + struct.pack("<I", VERSION) + os.urandom(PIECE)
        self.write("large.rec", data)
        process = self.serve("large.rec")
        streams = [socket.create_connection(("127.0.0.1", self.port), timeout=60) for _ in range(20)]
        for i, stream in enumerate(streams):
            self.addCleanup(stream.close)
            stream.sendall(b"GET /recording HTTP/1.1\r\nHost: localhost\r\n\r\n" if i % 2 else b"GET / HT")
        time.sleep(0.2)
        for _ in range(5):
            began = time.monotonic()
            self.assertEqual(self.ask("/recording?from=%d" % (len(data) - 10))[2], data[-10:])
            self.assertLess(time.monotonic() - began, 5)
        # One of the slow ones reads after all.
        answer = b""
        while not answer.endswith(data[PIECE - 1000:PIECE]):
            part = streams[1].recv(1 << 20)
            self.assertTrue(part)
            answer += part
        self.assertTrue(answer.endswith(data[:PIECE]))
        self.ends(process, signal.SIGTERM)

    def test_unfinished_requests_are_closed(self):
        self.record()
        self.serve("fall.rec")
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as stream:
            stream.sendall(b"GET / HT")
            began = time.monotonic()
            self.assertEqual(stream.recv(10), b"")
            self.assertLess(time.monotonic() - began, 30)

    def test_many_at_once(self):
        data = self.record()
        process = self.serve("fall.rec")
        with concurrent.futures.ThreadPoolExecutor(60) as pool:
            answers = list(pool.map(lambda i: self.ask("/recording?from=%d" % i), range(300)))
        for i, (status, _, body) in enumerate(answers):
            self.assertEqual((status, body), (200, data[i:]))
        # More idle connections than there is room for: the oldest ones make room.
        idle = [socket.create_connection(("127.0.0.1", self.port), timeout=20) for _ in range(100)]
        for stream in idle:
            self.addCleanup(stream.close)
        self.assertEqual(self.ask("/recording")[2], data)
        self.ends(process)

    def test_few_files(self):
        """As many files as the program may open, and no more: it stays and goes on."""
        data = self.record()
        process = self.serve("fall.rec", preexec_fn=few_files)
        idle = [socket.create_connection(("127.0.0.1", self.port), timeout=20) for _ in range(40)]
        time.sleep(0.3)
        for stream in idle:
            stream.close()
        deadline = time.monotonic() + 20
        while True:
            try:
                status, _, body = self.ask("/recording")
            except OSError:
                status = 0
            if status == 200 and body == data:
                break
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)
        self.assertIsNone(process.poll())

    def test_signals(self):
        self.record()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.serve("fall.rec")
            stream = socket.create_connection(("127.0.0.1", self.port), timeout=20)
            self.addCleanup(stream.close)
            stream.sendall(b"HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertTrue(stream.recv(4096).startswith(b"HTTP/1.1 200 OK\r\n"))
            self.ends(process, number)
            self.assertEqual(stream.recv(10), b"")
        process = self.serve("fall.rec", preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
        self.assertEqual(self.ask("/")[0], 200)
        self.ends(process, signal.SIGTERM)

    def test_ports(self):
        self.record()
        process = self.serve("fall.rec")
        self.fails("view", "fall.rec", "--serve", "--port", str(self.port), says=("--port %d" % self.port, "free port"))
        port = self.port
        self.ask("/")
        self.ends(process)
        self.serve("fall.rec", "--port", str(port))  # at once
        self.assertEqual(self.port, port)

    def test_not_on_other_addresses(self):
        self.record()
        self.serve("fall.rec")
        with self.assertRaises(OSError):
            socket.create_connection(("127.0.0.2", self.port), timeout=5)

    def test_unreadable(self):
        self.write("old.rec", MAGIC + b"\1\0\0\0")
        self.write("text.rec", "no recording")
        self.fails("view", "old.rec", "--serve", says=("old.rec", "version 1"))
        self.fails("view", "text.rec", "--serve", says="text.rec")
        self.fails("view", self.folder, "--serve", says=self.folder)
        self.fails("view", "missing.obj", "--serve", says="missing.obj")

    def test_meshes(self):
        self.write("c.obj", CROSS)
        self.ok("self", "c.obj", "--json", "-o", "hits.json")
        self.ok("view", "--result", "hits.json", "-q")
        process = self.serve("--result", "hits.json")
        body = self.ask("/")[2].decode()
        self.assertEqual(elements(body, "tandem-highlights"), elements(self.page("hits.html"), "tandem-highlights"))
        self.assertEqual(self.fetch(self.address()), self.data("hits.html")[1])
        self.ends(process)


def few_files():
    resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24))


if __name__ == "__main__":
    main()
