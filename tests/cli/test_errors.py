"""Bad input: each a one-line message that names it and what was expected, exit status 2, no partial output."""

import os
import stat
import struct
import subprocess

from support import TETRAHEDRON, CliTest, main, settings


class CommandLine(CliTest):
    def test_no_subcommand(self):
        self.fails(says="expected a subcommand")

    def test_unknown_subcommand(self):
        self.fails("colide", says=["'colide'", "did you mean collide?"])
        self.fails("frobnicate", says=["'frobnicate'", "--help"])
        self.fails("--frobnicate", says="--frobnicate")
        self.fails("help", "colide", says="did you mean collide?")

    def test_unknown_option(self):
        for command in ("info", "gen", "collide", "self"):
            self.fails(command, "--frobnicate", says=["--frobnicate", command, "--help"])
            self.fails(command, "-x", says="-x")
        self.fails("collide", "a", "b", "--cuont", says="did you mean --count?")
        self.fails("self", "a", "--theads=2", says="did you mean --threads?")
        self.fails("self", "a", "--pose", "0 0 0 0 0 0 1", says="--pose")

    def test_missing_value(self):
        self.fails("collide", "a", "b", "--poses", says=["--poses", "FILE"])
        self.fails("collide", "a", "b", "--pose", "--json", says=["--pose", "NUMBERS"])
        self.fails("self", "a", "-o", says="--output")
        self.fails("self", "a", "--threads", says="--threads N")

    def test_superfluous_value(self):
        self.fails("self", "a", "--json=yes", says=["--json", "'yes'"])

    def test_operands(self):
        self.fails("collide", says=["two meshes", "none"])
        self.fails("collide", "a", says=["two meshes", "only one"])
        self.fails("collide", "a", "b", "c", says=["unexpected", "'c'"])
        self.fails("self", says="one mesh")
        self.fails("self", "a", "b", says="'b'")
        self.fails("gen", "box", "cow", says="'cow'")

    def test_numbers(self):
        for bad in ("-1", "two", "", "1x", "99999999999999999999", "1025"):
            self.fails("info", "--threads", bad, says=["--threads", "'%s'" % bad, "0 to 1024"])
        self.fails("self", "shape:box", "--repeat", "0", says="--repeat")
        self.fails("gen", "box", "--subdivide", "99", says="--subdivide")

    def test_contradictions(self):
        self.fails("info", "--json", "--csv", says=["--json", "--csv"])
        self.fails("self", "shape:box", "--count", "--first", says=["--count", "--first"])
        self.write("p", "0 0 0 0 0 0 1\n")
        self.fails("collide", "shape:box", "shape:box", "--pose", "0 0 0 0 0 0 1", "--poses", "p", says="--poses")
        self.fails("gen", "box", "--json", says="-o FILE")

    def test_names(self):
        self.fails("self", "shape:box", "--strategy", "wdie", says=["'wdie'", "did you mean wide?", "brute"])
        self.fails("self", "shape:box", "--isa", "mmx", says=["'mmx'", "avx2"])
        self.fails("self", "shape:box", "--isa", "avx521", says=["'avx521'", "did you mean avx512?"])
        for command in (("self", "shape:box"), ("gen", "box"), ("info",), ("collide", "shape:box", "shape:box")):
            self.fails(*command, "--device", "abacus", says=["'abacus'", "native, opencl, opencl:N, auto"])
            self.fails(*command, "--device", "opnecl", says=["'opnecl'", "did you mean opencl?"])
            self.fails(*command, "--device", "opencl:", says=["'opencl:'", "opencl:N"])
            self.fails(*command, "--volume", "ball", says=["'ball'", "aabb, obb"])
            self.fails(*command, "--descent", "alternating", says=["'alternating'", "did you mean alternate?"])
        self.fails("self", "shape:cwo", says=["'cwo'", "did you mean cow?"])
        self.fails("self", "shape:", says="shape")
        self.fails("self", "shape:cow:x", says="shape:NAME:N")
        self.fails("self", "shape:cow:13", says="0 to 12")
        self.fails("gen", "elephant", says=["'elephant'", "--list"])

    def test_isa_that_is_absent(self):
        used = self.ok("info", "--csv")
        isas = next(line for line in used.splitlines() if line.startswith("isas,"))[5:].split()
        for name in ("sse4", "avx2", "avx512", "neon"):
            if name not in isas:
                self.fails("info", "--isa", name, says=[name, "not available"])


class Meshes(CliTest):
    def refused(self, name, says):
        for command in (("info", name), ("self", name), ("collide", "shape:box", name), ("collide", name, "shape:box")):
            self.fails(*command, says=says)
            self.fails(*command, "--json", "-o", "out.json", says=says)

    def test_wrong_path(self):
        self.refused("missing.obj", "missing.obj")
        self.refused("no/such/folder.stl", "no/such/folder.stl")
        self.refused("", "")

    def test_line_break_in_a_name(self):
        self.refused("two\nlines.obj", "two?lines.obj")

    def test_folder(self):
        os.mkdir(self.path("folder.obj"))
        self.refused("folder.obj", "folder.obj")
        self.refused(".", ".")

    def test_empty(self):
        for name in ("e.obj", "e.ply", "e.off", "e.stl"):
            self.write(name, "")
            self.refused(name, name)

    def test_unknown_format(self):
        self.write("mesh.xyz", "1 2 3\n")
        self.refused("mesh.xyz", "mesh.xyz")

    def test_not_a_number(self):
        for bad in ("nan", "inf", "-Infinity", "1e999", "zero"):
            self.write("m.obj", TETRAHEDRON.replace("v 1 0 0", "v 1 %s 0" % bad))
            self.refused("m.obj", ["m.obj", "2"])

    def test_index_out_of_range(self):
        for bad in ("5", "0", "-5", "4294967297", "x"):
            self.write("m.obj", TETRAHEDRON.replace("f 2 3 4", "f 2 3 %s" % bad))
            self.refused("m.obj", ["m.obj", "8"])
        self.write("m.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n")
        self.refused("m.off", ["m.off", "3"])

    def test_no_triangles(self):
        self.write("m.obj", "v 0 0 0\nv 1 0 0\n")
        self.refused("m.obj", ["m.obj", "triangle"])

    def test_truncated(self):
        for name in ("t.ply", "t.stl", "t.off"):
            self.ok("gen", "box", "-q", "-o", name)
            with open(self.path(name), "rb") as file:
                whole = file.read()
            for length in (len(whole) * 2 // 3, len(whole) - 3, 100):
                # What ends inside the last line of a text may still be a whole number, so it is cut before it.
                cut = whole[:length] if not name.endswith(".off") else whole[: whole.rfind(b"\n", 0, length - 3) + 1]
                self.write(name, cut)
                self.refused(name, name)

    def test_ply_that_promises_too_much(self):
        header = "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\n"
        header += "property float y\nproperty float z\nelement face 4000000000\n"
        header += "property list uchar int vertex_indices\nend_header\n"
        self.write("m.ply", header.encode() + struct.pack("<fff", 0, 0, 0))
        self.refused("m.ply", "m.ply")

    def test_one_bad_among_good(self):
        self.write("good.obj", TETRAHEDRON)
        result = self.run_tandem("info", "good.obj", "missing.obj")
        self.assertEqual(result.returncode, 2)
        self.assertIn("good.obj", result.stdout)
        self.assertRegex(result.stderr, r"\Atandem: [^\n]*missing.obj[^\n]*\n\Z")
        self.fails("info", "good.obj", "missing.obj", "-o", "out.txt", says="missing.obj")


class Poses(CliTest):
    def refused(self, text, says):
        self.fails("collide", "shape:box", "shape:box", "--pose", text, says=["--pose", *says])
        self.write("poses.txt", "# one good pose\n0 0 0 0 0 0 1\n%s\n" % text)
        self.fails("collide", "shape:box", "shape:box", "--poses", "poses.txt", "-o", "out", says=["poses.txt", "3", *says])

    def test_not_rigid(self):
        self.refused("0 0 0 0 0 0 1.1", [])
        self.refused("0 0 0 0 0 0 0", [])
        self.refused("2 0 0 0  0 2 0 0  0 0 2 0", [])
        self.refused("1 0.1 0 0  0 1 0 0  0 0 1 0", [])
        self.refused("-1 0 0 0  0 1 0 0  0 0 1 0", ["mirror"])

    def test_not_numbers(self):
        self.refused("0 0 0 0 0 0 nan", [])
        self.refused("inf 0 0 0 0 0 1", [])
        self.refused("0 0 0 0 0 0 one", [])

    def test_wrong_count(self):
        self.refused("0 0 0", ["7", "12"])
        self.refused("0 0 0 0 0 0 1 0", ["7", "12"])

    def test_not_one_pose(self):
        self.fails("collide", "shape:box", "shape:box", "--pose", "", says="--pose")
        self.fails("collide", "shape:box", "shape:box", "--pose", "0 0 0 0 0 0 1\n0 0 0 0 0 0 1", says="--pose")

    def test_file(self):
        self.fails("collide", "shape:box", "shape:box", "--poses", "missing.txt", says="missing.txt")
        self.fails("collide", "shape:box", "shape:box", "--poses", ".", says=".")
        self.write("empty.txt", "")
        self.fails("collide", "shape:box", "shape:box", "--poses", "empty.txt", says="empty.txt")
        self.write("remarks.txt", "# nothing\n\n")
        self.fails("collide", "shape:box", "shape:box", "--poses", "remarks.txt", says=["remarks.txt", "no poses"])

    def test_beyond_float64(self):
        self.fails("collide", "shape:box", "shape:box", "--pose", "1e309 0 0 0 0 0 1", says="--pose")


class Outputs(CliTest):
    COMMANDS = (("info",), ("info", "shape:box"), ("gen",), ("self", "shape:box"),
                ("collide", "shape:box", "shape:box", "--json"), ("collide", "shape:cow", "shape:cow", "--csv"))

    def test_missing_folder(self):
        for command in self.COMMANDS:
            self.fails(*command, "-o", "no/such/folder/out", says="no/such/folder/out")
        self.fails("gen", "box", "-o", "no/such/folder/out.obj", says="no/such/folder/out.obj")

    def test_folder_as_output(self):
        os.mkdir(self.path("folder.obj"))
        for command in self.COMMANDS:
            self.fails(*command, "-o", "folder.obj", says="folder.obj")
        self.fails("gen", "box", "-o", "folder.obj", says="folder.obj")
        self.fails("info", "--output=", says="")

    def test_full_device(self):
        for command in self.COMMANDS:
            self.fails(*command, "-o", "/dev/full", says=["/dev/full", "No space left"])
        os.symlink("/dev/full", self.path("full.obj"))
        self.fails("gen", "cow", "-o", "full.obj", says="full.obj")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode), "the device itself was replaced")
        self.assertTrue(os.path.islink(self.path("full.obj")))

    def test_full_standard_output(self):
        with open("/dev/full", "w") as full:
            for command in (*self.COMMANDS, ("gen", "cow"), ("--help",), ("self", "--help"), ("--version",)):
                self.fails(*command, stdout=full, says=["standard output", "No space left"])

    def test_closed_pipe(self):
        for command in (("gen", "cow"), ("info",), ("--help",)):
            reading, writing = os.pipe()
            os.close(reading)
            self.fails(*command, stdout=writing, says=["standard output", "Broken pipe"])
            os.close(writing)

    def test_closed_standard_output(self):
        result = subprocess.run(["sh", "-c", '"$0" info >&-', settings.program], stderr=subprocess.PIPE, text=True)
        self.assertEqual(result.returncode, 2)
        self.assertIn("standard output", result.stderr)

    def test_file_beside_closed_standard_output(self):
        command = ["sh", "-c", '"$0" info --json -o out.json >&-', settings.program]
        self.assertEqual(subprocess.run(command, cwd=self.folder).returncode, 0)
        self.assertIn("version", self.read("out.json"))

    def test_earlier_file_stays(self):
        self.write("out.json", "earlier")
        self.fails("self", "missing.obj", "--json", "-o", "out.json", says="missing.obj")
        self.assertEqual(self.read("out.json"), "earlier")

    def test_mesh_format_of_gen(self):
        self.fails("gen", "box", "-o", "box.txt", says=["box.txt", ".obj"])
        self.fails("gen", "box", "-o", "box", says=["box", ".obj"])

    def test_protected_file(self):
        if os.geteuid() == 0:
            self.skipTest("root may write everything")
        self.write("out.txt", "earlier")
        os.chmod(self.path("out.txt"), 0o400)
        os.chmod(self.folder, 0o500)
        self.addCleanup(os.chmod, self.folder, 0o700)
        self.fails("info", "-o", "out.txt", says="out.txt")


if __name__ == "__main__":
    main()
