"""What `info` tells of OpenCL devices: where there are some, and where there is no OpenCL."""

import csv
import io
import json
import os
import unittest

from support import CliTest, main, settings

NOWHERE = "libno-such-opencl.so"
TEXTS = ("kind", "name", "platform", "version", "driver")
COUNTS = ("compute_units", "memory", "largest_allocation")
FLAGS = ("float64", "usable")


class Devices(CliTest):
    def info(self, *options, **more):
        return json.loads(self.ok("info", "--json", *options, **more))

    def test_list(self):
        info = self.info()
        self.assertEqual(info["devices"][0], {"device": "native"})
        devices = info["devices"][1:]
        self.assertEqual(info["opencl"], bool(devices))
        if not devices:
            raise unittest.SkipTest(info["opencl_missing"])
        for index, device in enumerate(devices):
            self.assertEqual(device["device"], "opencl:%d" % index)
            self.assertEqual(set(device), {"device", *TEXTS, *COUNTS, *FLAGS})
            self.assertIn(device["kind"], ("cpu", "gpu", "accelerator", "other"))
            for key in COUNTS:
                self.assertGreater(device[key], 0, key)

    def test_same_in_every_format(self):
        devices = self.info()["devices"][1:]
        told = dict(list(csv.reader(io.StringIO(self.ok("info", "--csv"))))[1:])
        self.assertEqual(told["opencl_devices"], str(len(devices)))
        table = self.ok("info")
        for device in devices:
            for key in TEXTS:
                self.assertEqual(told["%s.%s" % (device["device"], key)], device[key])
            for key in COUNTS + FLAGS:
                self.assertEqual(told["%s.%s" % (device["device"], key)], str(int(device[key])))
            line = [row for row in table.splitlines() if row.startswith(device["device"] + " ")]
            self.assertEqual(len(line), 1)
            self.assertIn(device["name"], line[0])

    def test_no_library(self):
        without = dict(os.environ, TANDEM_OPENCL_LIBRARY=NOWHERE)
        info = self.info(env=without)
        self.assertEqual((info["opencl"], info["devices"]), (False, [{"device": "native"}]))
        reason = info["opencl_missing"]
        self.assertIn(NOWHERE if settings.opencl else "this build has no OpenCL", reason)
        self.assertRegex(self.ok("info", env=without), r"\nOpenCL devices +none: .*%s" % reason.split()[-1])
        told = dict(list(csv.reader(io.StringIO(self.ok("info", "--csv", env=without))))[1:])
        self.assertEqual((told["opencl_devices"], told["opencl_missing"]), ("0", reason))

    def test_meshes_need_no_opencl(self):
        self.assertIn("meshes", self.info("shape:box", env=dict(os.environ, TANDEM_OPENCL_LIBRARY=NOWHERE)))


if __name__ == "__main__":
    main()
