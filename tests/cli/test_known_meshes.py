"""Meshes with known answers, where the data folder is there: what `info` tells of each, what `self` finds."""

import csv
import json
import os

from support import CliTest, main, settings

# Columns of STATS.csv and what `info` calls them.
COLUMNS = {
    "vertices": "vertices",
    "distinct_positions": "distinct_positions",
    "triangles_after_fan": "triangles",
    "boundary_edges": "boundary_edges",
    "nonmanifold_edges": "nonmanifold_edges",
    "misoriented_edges": "misoriented_edges",
    "repeated_index_tris": "repeated_vertex",
    "zero_area_tris": "zero_area",
    "duplicate_tris": "duplicate_triangles",
    "isolated_vertices": "unreferenced_vertices",
    "components": "components",
}


class KnownMeshes(CliTest):
    def setUp(self):
        super().setUp()
        self.meshes = os.path.join(settings.data, "meshes")
        if not os.path.isfile(os.path.join(self.meshes, "STATS.csv")):
            self.skipTest("skipped the meshes with known answers: none at %s" % self.meshes)
        with open(os.path.join(self.meshes, "STATS.csv")) as file:
            self.rows = list(csv.DictReader(file))
        self.assertGreater(len(self.rows), 20)

    def test_info(self):
        for row in self.rows:
            path = os.path.join(settings.data, row["file"])
            with self.subTest(row["file"]):
                told = json.loads(self.ok("info", path, "--json", "-q"))["meshes"][0]
                self.assertEqual({key: told[name] for key, name in COLUMNS.items()},
                                 {key: int(row[key]) for key in COLUMNS})

    def test_self(self):
        for row in self.rows:
            path = os.path.join(settings.data, row["file"])
            with self.subTest(row["file"]):
                found = [line.split(",") for line in self.ok("self", path, "--csv", "-q").split()[1:]]
                self.assertEqual(len(found), int(row["self_intersecting_pairs"]))
                name = os.path.splitext(os.path.basename(path))[0] + ".pairs.csv"
                known = os.path.join(self.meshes, "selfint", name)
                if os.path.isfile(known):
                    with open(known) as file:
                        pairs = sorted((int(a), int(b)) for a, b in csv.reader(file))
                    self.assertEqual([(int(a), int(b)) for _, a, b in found], pairs)

    def test_every_file_is_answered(self):
        """Those that break loaders: an answer or a clear error, of every subcommand."""
        folder = os.path.join(self.meshes, "nasty")
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            for command in (("info", path), ("self", path, "--degenerate"), ("collide", path, path), ("collide", "shape:box", path)):
                with self.subTest(command):
                    result = self.run_tandem(*command)
                    if result.returncode == 0:
                        self.assertRegex(result.stderr, r"\A(tandem: warning: [^\n]+\n)*\Z")
                    else:
                        self.fails(*command, "-q", says=name)


if __name__ == "__main__":
    main()
