"""Devices, bounding volumes and descent rules: one answer everywhere, and clear words about what cannot be had."""

import json
import math
import os

from support import CROSS, CliTest, main, settings

TURNED = "0.4 0.1 -0.2 0.1 0.3 -0.2 %.17g" % math.sqrt(1 - 0.01 - 0.09 - 0.04)
PAIR = ("collide", "shape:cow", "shape:torus", "--pose", TURNED)
WITHOUT_OPENCL = dict(os.environ, TANDEM_OPENCL_LIBRARY="/nonexistent/libOpenCL.so")
STAGES = {"boxes", "collect", "triangles", "exact", "copy_in", "copy_out"}
# As `tandem info` names them: what runs on devices, what knows oriented boxes.
ON_DEVICES = ("stack", "binary", "blocked")
WITH_OBBS = ("stack", "binary")
DESCENTS = ("auto", "larger", "a", "b", "alternate")


def missing():
    """What the message about the missing library holds."""
    return WITHOUT_OPENCL["TANDEM_OPENCL_LIBRARY"] if settings.opencl else "this build has no OpenCL"


class DeviceTest(CliTest):
    def need_opencl(self):
        result = self.run_tandem("collide", "shape:box", "shape:box", "--device", "opencl", "--count")
        if result.returncode != 0:
            self.assertRegex(result.stderr, r"\Atandem: --device: [^\n]+\n\Z")
            self.skipTest("no OpenCL device: " + result.stderr.strip())

    def answer(self, *options):
        return json.loads(self.ok(*PAIR, "--json", *options))


class Absent(DeviceTest):
    def test_no_library(self):
        for command in (PAIR, ("self", "shape:box")):
            for device in ("opencl", "opencl:0"):
                self.fails(*command, "--device", device, env=WITHOUT_OPENCL, says=[missing(), "OpenCL"])
                self.fails(*command, "--device", device, "--csv", "-o", "out.csv", env=WITHOUT_OPENCL)

    def test_told_before_meshes_are_read(self):
        self.fails("collide", "missing.obj", "missing.obj", "--device", "opencl", env=WITHOUT_OPENCL, says="OpenCL")

    def test_auto_is_native_with_a_note(self):
        wanted = self.ok(*PAIR, "--csv")
        result = self.run_tandem(*PAIR, "--csv", "--device", "auto", env=WITHOUT_OPENCL)
        self.assertEqual((result.returncode, result.stdout), (0, wanted))
        self.assertRegex(result.stderr, r"\Atandem: note: [^\n]*native[^\n]*\n\Z")
        self.assertIn(missing(), result.stderr)
        self.assertEqual(self.ok(*PAIR, "--csv", "--device", "auto", "--quiet", env=WITHOUT_OPENCL), wanted)
        answer = json.loads(self.ok(*PAIR, "--json", "--device", "auto", "--quiet", env=WITHOUT_OPENCL))
        self.assertEqual(answer["device"], "native")
        self.assertNotIn("device_name", answer)

    def test_native_needs_no_library(self):
        self.assertEqual(self.ok(*PAIR, "--csv", "--device", "native", env=WITHOUT_OPENCL), self.ok(*PAIR, "--csv"))


class Refused(DeviceTest):
    def test_oriented_boxes(self):
        for strategy in ("wide", "blocked", "auto"):
            self.fails(*PAIR, "--volume", "obb", "--strategy", strategy, says=["oriented boxes", "aabb"])

    def test_descent_rule(self):
        for strategy in ("wide", "blocked"):
            self.fails(*PAIR, "--descent", "larger", "--strategy", strategy, says=[strategy, "descent", "'larger'"])

    def test_index_out_of_range(self):
        self.need_opencl()
        self.fails(*PAIR, "--device", "opencl:99", says=["99", "opencl:0"])
        self.fails(*PAIR, "--device", "opencl:99999999999", says="99999999999")
        self.fails(*PAIR, "--device", "opencl:99", "--json", "-o", "out.json", says="99")

    def test_strategy_that_is_native_only(self):
        self.need_opencl()
        for strategy in ("wide", "brute"):
            self.fails(*PAIR, "--device", "opencl", "--strategy", strategy, says=[strategy, "native"])
            self.fails("self", "shape:box", "--device", "opencl", "--strategy", strategy, says=[strategy, "native"])

    def test_auto_with_what_is_native_only(self):
        self.write("cross.obj", CROSS)
        for command in ((*PAIR, "--strategy", "wide"), ("self", "cross.obj", "--strategy", "brute")):
            wanted = self.ok(*command, "--csv")
            result = self.run_tandem(*command, "--csv", "--device", "auto")
            self.assertEqual((result.returncode, result.stdout), (0, wanted))
            self.assertRegex(result.stderr, r"\Atandem: note: [^\n]*native[^\n]*\n\Z")
            self.assertEqual(self.ok(*command, "--csv", "--device", "auto", "-q"), wanted)


class SelfIntersections(DeviceTest):
    def test_same_as_native(self):
        self.need_opencl()
        self.write("cross.obj", CROSS)
        for mesh in ("cross.obj", "shape:cow"):
            wanted = self.ok("self", mesh, "--csv")
            for strategy, volumes in (("auto", ("aabb",)), ("blocked", ("aabb",)), ("stack", ("aabb", "obb")),
                                      ("balanced", ("aabb", "obb")), ("front", ("aabb", "obb"))):
                for volume in volumes:
                    self.assertEqual(self.ok("self", mesh, "--csv", "--device", "opencl", "--strategy", strategy,
                                             "--volume", volume), wanted, (mesh, strategy, volume))


class OneAnswer(DeviceTest):
    def setUp(self):
        super().setUp()
        self.wanted = self.answer()["triangles"]
        self.assertGreater(len(self.wanted), 10)

    def test_descents_and_volumes(self):
        for strategy in WITH_OBBS:
            for volume in ("aabb", "obb"):
                for descent in DESCENTS:
                    answer = self.answer("--strategy", strategy, "--volume", volume, "--descent", descent)
                    self.assertEqual(answer["triangles"], self.wanted)
                    self.assertEqual((answer["volume"], answer["descent"]), (volume, descent))
                    self.assertGreater(answer["counters"]["state_bits"], 0)

    def test_device(self):
        self.need_opencl()
        for strategy in ON_DEVICES:
            for volume in ("aabb", "obb") if strategy in WITH_OBBS else ("aabb",):
                options = ("--device", "opencl", "--strategy", strategy, "--volume", volume)
                answer = self.answer(*options)
                self.assertEqual(answer["triangles"], self.wanted, options)
                self.assertEqual((answer["strategy"], answer["volume"]), (strategy, volume))
                self.assertRegex(answer["device"], r"\Aopencl:\d+\Z")
                self.assertTrue(answer["device_name"])
                self.assertEqual(set(answer["ms"]), {"load", "build", "query"} | STAGES)
                self.assertTrue(all(time >= 0 for time in answer["ms"].values()))
                self.assertEqual(self.answer(*options, "--count")["pairs"], len(self.wanted))
                first = self.answer(*options, "--first")
                self.assertEqual(first["pairs"], 1)
                self.assertIn(first["triangles"][0], self.wanted)

    def test_default_strategy_and_table(self):
        self.need_opencl()
        self.assertEqual(self.answer("--device", "opencl")["triangles"], self.wanted)
        self.assertEqual(self.answer("--device", "auto")["triangles"], self.wanted)
        self.assertRegex(self.ok(*PAIR, "--device", "opencl:0"), r"ran on +opencl:0, ")

    def test_batch(self):
        self.need_opencl()
        self.write("poses.txt", "%s\n0.2 0 0 0 0 0 1\n9 0 0 0 0 0 1\n" % TURNED)
        command = ("collide", "shape:cow", "shape:torus", "--poses", "poses.txt", "--csv")
        for strategy in ON_DEVICES:
            self.assertEqual(self.ok(*command, "--device", "opencl", "--strategy", strategy), self.ok(*command))


if __name__ == "__main__":
    main()
