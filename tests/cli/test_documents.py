"""Every option is in the help text, in the man page and in the completions, and in none of them is another."""

import os
import re
import shutil
import subprocess

from support import CliTest, main, settings

COMMANDS = ("info", "gen", "collide", "self", "ccd", "simulate", "replay", "view", "render", "export", "bench")
BENCHMARKS = ("traverse", "build", "refit", "front", "ray", "ccd", "paper 000", "paper 001", "paper 002", "paper 003", "paper 004", "scaling")
# What has options: a benchmark has its own, `bench` by itself only lists them.
OPTIONED = ("info", "gen", "collide", "self", "ccd", "simulate", "replay", "view", "render", "export") + tuple("bench " + name for name in BENCHMARKS)
ANY_OPTION = r"(?<![\w-])--?[a-z][a-z-]*"


class Documents(CliTest):
    def source(self, *names):
        with open(os.path.join(settings.source, *names)) as file:
            return file.read()

    def options(self, command):
        """The options of the help text, long and short."""
        found = set()
        for line in self.ok(*command.split(), "--help").splitlines():
            named = re.match(r"  (-\w, )?(--[a-z-]+)", line)
            if named:
                found.update(name.strip(", ") for name in named.groups() if name)
        self.assertIn("--help", found)
        self.assertIn("--threads", found)
        return found

    def test_help_texts(self):
        for command in COMMANDS + OPTIONED:
            words = command.split()
            text = self.ok(*words, "--help")
            self.assertEqual(text, self.ok("help", *words))
            self.assertEqual(text, self.ok(*words, "-h"))
            self.assertTrue(text.startswith("Usage: tandem %s " % command))
            self.assertIn("\nExample:\n  tandem %s " % command, text)
            self.assertLessEqual(max(map(len, text.splitlines())), 100)
            self.assertIn("  %s " % words[-1], self.ok(*words[:-1], "--help"))  # listed where it is looked for
        self.assertEqual(self.ok("--help"), self.ok("help"))

    def test_man_pages(self):
        for command in OPTIONED:
            page = self.source("man", "tandem-%s.1" % command.split()[0]).replace("\\-", "-")
            if command.startswith("bench "):  # a section for each of them, and one for all
                sections = dict(re.findall(r"^\.SH (.*)\n((?:(?!\.SH ).*\n)*)", page, re.M))
                page = sections["OPTIONS OF " + command[6:].upper()] + sections["COMMON OPTIONS"]
            headings = re.findall(r"^\.TP\n(\.B.*)$", page, re.M)
            documented = {name for line in headings for name in re.findall(ANY_OPTION, line)}
            self.assertEqual(documented, self.options(command), command)

    def test_overview_page(self):
        page = self.source("man", "tandem.1").replace("\\-", "-")
        for command in COMMANDS:
            self.assertIn("tandem-%s (1)" % command, page)
        common = set.intersection(*map(self.options, OPTIONED))
        documented = {name for line in re.findall(r"^\.TP\n(\.B.*)$", page, re.M) for name in re.findall(ANY_OPTION, line)}
        self.assertEqual({name for name in documented if name.startswith("-")}, common)

    def test_version_of_man_pages(self):
        version = self.ok("--version").strip()
        for name in os.listdir(os.path.join(settings.source, "man")):
            self.assertIn('"%s"' % version, self.source("man", name).splitlines()[0], name)

    def test_man_pages_render(self):
        if not shutil.which("groff"):
            self.skipTest("groff is not installed")
        for name in os.listdir(os.path.join(settings.source, "man")):
            page = os.path.join(settings.source, "man", name)
            result = subprocess.run(["groff", "-man", "-Tutf8", "-ww", page], capture_output=True, text=True)
            self.assertEqual((result.returncode, result.stderr), (0, ""), name)

    def complete(self, *words):
        """What bash offers for the last of these words."""
        script = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tandem; printf "%s\\n" "${COMPREPLY[@]}"'
        path = os.path.join(settings.source, "completions", "tandem.bash")
        environment = dict(os.environ, PATH=os.path.dirname(settings.program) + ":" + os.environ["PATH"])
        result = subprocess.run(["bash", "-c", script, path, *words], capture_output=True, text=True,
                                cwd=self.folder, env=environment)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return set(result.stdout.split())

    def test_bash(self):
        self.assertLessEqual(set(COMMANDS), self.complete("tandem", ""))
        for command in OPTIONED:
            self.assertEqual(self.complete("tandem", *command.split(), "-"), self.options(command), command)
        self.assertEqual(self.complete("tandem", "bench", ""), {name.split()[0] for name in BENCHMARKS} | {"--help"})
        self.assertEqual(self.complete("tandem", "bench", "paper", "0"), {"000", "001", "002", "003", "004"})
        self.assertEqual(self.complete("tandem", "help", "bench", "p"), {"paper"})
        self.write("mesh.obj", "")
        self.assertEqual(self.complete("tandem", "self", "m"), {"mesh.obj"})
        self.assertEqual(self.complete("tandem", "self", "sh"), {"shape:"})
        self.assertIn("cow", self.complete("tandem", "gen", "c"))
        self.assertIn("cow", self.complete("tandem", "self", "shape", ":", "c"))
        self.assertIn("wide", self.complete("tandem", "self", "--strategy", ""))
        self.assertIn("cows", self.complete("tandem", "simulate", "c"))
        self.assertIn("sweep", self.complete("tandem", "simulate", "--broad", "s"))
        self.assertEqual(self.complete("tandem", "self", "--isa", "av"), {"avx2", "avx512"})
        self.assertEqual(self.complete("tandem", "collide", "--volume", "o"), {"obb"})
        self.assertEqual(self.complete("tandem", "collide", "--device", "o"), {"opencl"})
        self.assertEqual(self.complete("tandem", "collide", "--descent", "l"), {"larger"})

    def test_zsh(self):
        text = self.source("completions", "_tandem")
        every = set.union(*map(self.options, OPTIONED))
        offered = set(re.findall(r"(--[a-z-]+)(?=[\[}])", text)) | set(re.findall(r"(?<=\{)-\w(?=,)", text))
        self.assertEqual(offered, every)
        if shutil.which("zsh"):
            path = os.path.join(settings.source, "completions", "_tandem")
            self.assertEqual(subprocess.run(["zsh", "-n", path]).returncode, 0)

    def test_fish(self):
        text = self.source("completions", "tandem.fish")
        every = set.union(*map(self.options, OPTIONED))
        offered = {"--" + name for name in re.findall(r"^complete .* -l ([a-z-]+)", text, re.M)}
        offered |= {"-" + name for name in re.findall(r"^complete .* -s (\w)", text, re.M)}
        self.assertEqual(offered, every)
        if shutil.which("fish"):
            path = os.path.join(settings.source, "completions", "tandem.fish")
            self.assertEqual(subprocess.run(["fish", "-n", path]).returncode, 0)


if __name__ == "__main__":
    main()
