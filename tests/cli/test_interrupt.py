"""Ctrl-C leaves no partial output; progress is shown on a terminal only."""

import os
import pty
import signal
import subprocess
import time

from support import CliTest, main, settings

# Brute force over 24,000 x 24,000 triangles, again and again: runs until it is stopped.
ENDLESS = ("collide", "shape:cow:2", "shape:cow:2", "--strategy", "brute", "--repeat", "1000000", "--count", "--json")
# Some seconds of brute force.
SECONDS = ("collide", "shape:cow", "shape:cow", "--strategy", "brute", "--repeat", "12", "--count")


class Interrupt(CliTest):
    def start(self, *arguments):
        process = subprocess.Popen([settings.program, *arguments], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_for_files(self, process, count):
        """Until the folder holds `count` files, or the process is done."""
        deadline = time.monotonic() + 60
        while len(os.listdir(self.folder)) < count and process.poll() is None:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)

    def test_file_is_removed(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.start(*ENDLESS, "-o", "out.json")
            self.wait_for_files(process, 1)
            self.assertEqual(len(os.listdir(self.folder)), 1)
            self.assertFalse(os.path.exists(self.path("out.json")), "there before it is complete")
            time.sleep(0.2)
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=20), -number)
            self.assertEqual(os.listdir(self.folder), [])
            self.assertEqual((process.stdout.read(), process.stderr.read()), ("", ""))

    def test_shell_tells_130(self):
        # SIGINT to the program alone, from a shell that has it in the foreground.
        script = '(sleep 1; kill -INT "$(cat pid)") & sh -c \'echo $$ >pid; exec "$0" "$@"\' "$0" "$@"; echo $?'
        command = ["bash", "-c", "trap : INT\n" + script, settings.program, *ENDLESS, "-o", "out.json"]
        told = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.assertEqual(told.stdout.split()[-1], "130")
        self.assertEqual(os.listdir(self.folder), ["pid"])

    def test_earlier_file_stays(self):
        self.write("out.json", "earlier")
        process = self.start(*ENDLESS, "-o", "out.json")
        self.wait_for_files(process, 2)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=20)
        self.assertEqual(os.listdir(self.folder), ["out.json"])
        self.assertEqual(self.read("out.json"), "earlier")

    def test_at_any_moment(self):
        """Whenever it comes, there is the whole file or none."""
        whole = None
        for delay in (0, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2):
            process = self.start("gen", "cow", "--subdivide", "3", "-q", "-o", "cow.obj")
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            process.wait(timeout=60)
            files = os.listdir(self.folder)
            self.assertIn(files, ([], ["cow.obj"]))
            if files:
                whole = whole or self.ok("gen", "cow", "--subdivide", "3")
                self.assertEqual(self.read("cow.obj"), whole)
                os.remove(self.path("cow.obj"))

    def test_while_saving(self):
        process = self.start("gen", "cow", "--subdivide", "4", "-q", "-o", "cow.ply")
        self.wait_for_files(process, 1)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        self.assertIn(os.listdir(self.folder), ([], ["cow.ply"]))

    def test_ignored_stays_ignored(self):
        process = subprocess.Popen(["sh", "-c", 'trap "" INT; exec "$0" "$@"', settings.program, *SECONDS, "-o", "out"],
                                   cwd=self.folder)
        self.wait_for_files(process, 1)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=120), 0)
        self.assertEqual(os.listdir(self.folder), ["out"])


class Progress(CliTest):
    def on_terminal(self, *arguments):
        """Standard error of a run whose standard error is a terminal."""
        master, slave = pty.openpty()
        environment = dict(os.environ, TERM="xterm")
        process = subprocess.Popen([settings.program, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=slave, env=environment)
        os.close(slave)
        shown = b""
        while True:
            try:
                part = os.read(master, 4096)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            shown += part
        os.close(master)
        self.assertEqual(process.wait(), 0)
        return shown.decode()

    def test_terminal(self):
        shown = self.on_terminal(*SECONDS)
        self.assertRegex(shown, r"colliding: \d+%")
        self.assertTrue(shown.endswith("\r\033[K"), "the line is not cleared")

    def test_quiet(self):
        self.assertEqual(self.on_terminal(*SECONDS, "--quiet"), "")

    def test_short_work(self):
        self.assertEqual(self.on_terminal("self", "shape:box"), "")

    def test_pipe(self):
        self.ok(*SECONDS)  # which wants standard error to be empty


if __name__ == "__main__":
    main()
