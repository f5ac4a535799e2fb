"""What the tests of the program share: running it, and a scratch folder."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

TETRAHEDRON = """v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
"""

# Two triangles that cross, and share no vertex.
CROSS = """v -1 0 0
v 1 0 0
v 0 1 0
v 0 0.5 -1
v 0 0.5 1
v 0 2 0
f 1 2 3
f 4 5 6
"""

settings = argparse.Namespace()


def main():
    """Parses what ctest passes and runs the tests of the calling script."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True, type=os.path.abspath)
    parser.add_argument("--source", required=True, type=os.path.abspath)
    parser.add_argument("--data", default="")
    parser.add_argument("--assimp", action="store_true")
    parser.add_argument("--opencl", action="store_true")
    rest = parser.parse_known_args(namespace=settings)[1]
    unittest.main(module="__main__", argv=[sys.argv[0]] + rest)


class CliTest(unittest.TestCase):
    """Each test runs in an empty folder of its own."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tandem-cli-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        mode = "wb" if isinstance(content, bytes) else "w"
        with open(self.path(name), mode) as file:
            file.write(content)
        return name

    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def run_tandem(self, *arguments, **options):
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        return subprocess.run([settings.program, *arguments], cwd=self.folder, text=True, timeout=300, **options)

    def ok(self, *arguments, status=0, **options):
        """Succeeds and says nothing on standard error; returns standard output."""
        result = self.run_tandem(*arguments, **options)
        self.assertEqual((result.returncode, result.stderr), (status, ""), arguments)
        return result.stdout

    def fails(self, *arguments, says=(), **options):
        """Exits with 2, one line on standard error that holds each of `says`, no result, and no file left."""
        before = sorted(os.listdir(self.folder))
        result = self.run_tandem(*arguments, **options)
        self.assertEqual(result.returncode, 2, (arguments, result.stderr))
        self.assertFalse(result.stdout, arguments)
        self.assertRegex(result.stderr, r"\Atandem: [^\n]+\n\Z", arguments)
        for part in (says,) if isinstance(says, str) else says:
            self.assertIn(part, result.stderr, arguments)
        self.assertEqual(sorted(os.listdir(self.folder)), before, arguments)
        return result.stderr
