#!/usr/bin/env python3
"""Draws the rows of tandem-peers (CSV files) as one picture: time per pose by mesh, pose set and library.

usage: plot.py CSV... -o PICTURE [-o PICTURE ...]
"""

import argparse
import csv
import sys

try:
    import matplotlib
except ImportError:
    sys.exit("plot.py: needs matplotlib (Debian package python3-matplotlib)")

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend has to be chosen first)

# Colours that stay apart for colour-blind readers (Okabe and Ito); tandem's are the dark ones.
COLOURS = {
    "tandem": "#000000",
    "tandem, 2 threads": "#777777",
    "ode-opcode": "#f0e442",
    "ode": "#e69f00",
    "bullet": "#56b4e9",
    "fcl": "#d55e00",
    "cgal": "#009e73",
    "embree": "#cc79a7",
    "embree medium": "#cc79a7",
    "embree low": "#e7bcd3",
}
SETS = ["near", "touching", "far"]
MODES = {"all": "all pairs", "first": "first hit"}


def read_rows(paths):
    rows = []
    for path in paths:
        with open(path, newline="", encoding="utf-8") as file:
            for number, row in enumerate(csv.DictReader(file), start=2):
                try:
                    row["ms"] = float(row["ms_per_pose"])
                    row["ratio"] = float(row["ratio"])
                    row["triangles"] = int(row["triangles"])
                    row["threads"] = int(row["threads"])
                except (KeyError, TypeError, ValueError) as error:
                    sys.exit(f"{path}, line {number}: not a row of tandem-peers ({error})")
                rows.append(row)
    if not rows:
        sys.exit("plot.py: no rows to draw")
    return rows


def label(row):
    if row["library"] == "tandem" and row["threads"] > 1:
        return f"tandem, {row['threads']} threads"
    return row["library"]


def colour(name):
    return COLOURS.get(name, "#999999")


def times(value):
    """A ratio as people say it: 24×, 3.1×, 0.52×."""
    return f"{value:.0f}×" if value >= 10 else f"{value:.1f}×" if value >= 1 else f"{value:.2f}×"


def bars(axes, groups, unit, scale="log"):
    """groups: [(title, [(name, height, annotation), ...]), ...], drawn side by side."""
    names = [name for name in COLOURS if any(name == bar[0] for _, group in groups for bar in group)]
    names += sorted({bar[0] for _, group in groups for bar in group} - set(names))
    width = 0.86 / max(len(names), 1)
    for place, (_, group) in enumerate(groups):
        for name, height, annotation in group:
            x = place + (names.index(name) - (len(names) - 1) / 2) * width
            axes.bar(x, height, width * 0.92, color=colour(name))
            axes.annotate(annotation, (x, height), textcoords="offset points", xytext=(0, 2), ha="center",
                          va="bottom", rotation=90, fontsize=6.5)
    axes.set_yscale(scale)
    low, high = axes.get_ylim()
    # Room for the annotations; below, so that the shortest bar is one.
    axes.set_ylim(*((low / 2, high * 4) if scale == "log" else (low, high * 1.25)))
    axes.set_xticks(range(len(groups)), [title for title, _ in groups])
    axes.set_ylabel(unit, fontsize=8)
    axes.tick_params(labelsize=8)
    axes.grid(axis="y", linewidth=0.4, alpha=0.6)
    axes.set_axisbelow(True)
    return names


def reference_isa(rows):
    """Rows of a second instruction set are left to the CSV: the picture shows what `auto` picks."""
    return next((row["isa"] for row in rows if row["library"] == "tandem"), "")


def collision_groups(rows, mesh, mode):
    groups = []
    for pose_set in SETS:
        group = [(label(row), row["ms"], times(row["ratio"])) for row in rows
                 if (row["mesh"], row["mode"], row["set"]) == (mesh, mode, pose_set)]
        if group:
            groups.append((pose_set, group))
    return groups


def self_groups(rows):
    chosen = [row for row in rows if row["mode"] == "self"]
    return [(mesh, [(label(row), row["ms"], times(row["ratio"])) for row in chosen if row["mesh"] == mesh])
            for mesh in dict.fromkeys(row["mesh"] for row in chosen)]


def build_groups(rows):
    chosen = [row for row in rows if row["mode"] == "build"]
    groups = []
    for mesh, threads in dict.fromkeys((row["mesh"], row["threads"]) for row in chosen):
        group = []
        for row in chosen:
            if (row["mesh"], row["threads"]) == (mesh, threads):
                speed = row["triangles"] / row["ms"] / 1000
                name = "tandem" if row["library"] == "tandem" else row["library"] + " " + row["set"]
                group.append((name, speed, f"{speed:.1f}"))
        groups.append((f"{mesh}\n{threads} thread{'s' if threads > 1 else ''}", group))
    return groups


def legend(figure, names):
    order = [name for name in COLOURS if name in names] + sorted(set(names) - set(COLOURS))
    handles = [plt.Rectangle((0, 0), 1, 1, color=colour(name)) for name in order]
    figure.legend(handles, order, loc="upper center", ncol=len(order), fontsize=9, frameon=False,
                  bbox_to_anchor=(0.5, 0.955))


def draw(rows):
    isa = reference_isa(rows)
    rows = [row for row in rows if row["isa"] in ("", isa)]
    collisions = [row for row in rows if row["mode"] in MODES]
    meshes = list(dict.fromkeys(row["mesh"] for row in collisions))
    others = [("self-intersections, build included", "ms", self_groups(rows)),
              ("hierarchy build (higher is better)", "million triangles/s", build_groups(rows))]
    others = [other for other in others if other[2]]
    lines = len(MODES) + (1 if others else 0)
    figure = plt.figure(figsize=(max(5.2 * len(meshes), 10), 3.3 * lines + 1))
    grid = figure.add_gridspec(lines, 1, hspace=0.42, top=0.88, bottom=0.07, left=0.05, right=0.99)
    names = []
    for line, (mode, title) in enumerate(MODES.items()):
        cells = grid[line].subgridspec(1, max(len(meshes), 1), wspace=0.2)
        for column, mesh in enumerate(meshes):
            groups = collision_groups(rows, mesh, mode)
            if groups:
                axes = figure.add_subplot(cells[column])
                triangles = next(row["triangles"] for row in collisions if row["mesh"] == mesh)
                axes.set_title(f"{mesh}, {title} ({triangles:,} triangles in A and B)", fontsize=9)
                names += bars(axes, groups, "ms per pose")
    if others:
        cells = grid[lines - 1].subgridspec(1, len(others), wspace=0.12)
        for column, (title, unit, groups) in enumerate(others):
            axes = figure.add_subplot(cells[column])
            axes.set_title(title, fontsize=9)
            drawn = bars(axes, groups, unit, "log" if unit == "ms" else "linear")
            if unit == "ms":
                names += drawn
            else:
                handles = [plt.Rectangle((0, 0), 1, 1, color=colour(name)) for name in drawn]
                axes.legend(handles, drawn, fontsize=7, frameon=False, ncol=len(drawn), loc="upper left")
    legend(figure, names)
    figure.suptitle(f"tandem beside other libraries: time, and how many times tandem's on one thread\n"
                    f"{rows[0]['cpu']}, {isa}, medians, one thread unless said", fontsize=11, y=0.995)
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("csv", nargs="+", help="files written by tandem-peers --csv")
    parser.add_argument("-o", "--output", action="append", required=True, help=".svg or .png; may be repeated")
    arguments = parser.parse_args()
    matplotlib.rcParams["svg.hashsalt"] = "tandem"  # the same rows give the same file
    figure = draw(read_rows(arguments.csv))
    for path in arguments.output:
        metadata = {"Date": None} if path.endswith(".svg") else None
        figure.savefig(path, dpi=130, metadata=metadata)


if __name__ == "__main__":
    main()
