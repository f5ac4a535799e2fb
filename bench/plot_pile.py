#!/usr/bin/env python3
"""Draws the pile of tandem-peers: time per step, contacts and kinetic energy over the steps, by library.

usage: plot_pile.py SUMMARY-CSV STEPS-CSV -o PICTURE [-o PICTURE ...]
"""

import argparse
import csv
import sys

try:
    import matplotlib
except ImportError:
    sys.exit("plot_pile.py: needs matplotlib (Debian package python3-matplotlib)")

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend has to be chosen first)

# Colours that stay apart for colour-blind readers (Okabe and Ito), as in plot.py.
COLOURS = {"tandem": "#000000", "ode": "#e69f00", "bullet": "#56b4e9"}
PANELS = [("wall_ms", "ms per step"), ("contacts", "contact points"), ("kinetic_j", "J, mean kinetic energy")]


def read_rows(path, numbers):
    rows = []
    with open(path, newline="", encoding="utf-8") as file:
        for number, row in enumerate(csv.DictReader(file), start=2):
            try:
                rows.append({**row, **{name: float(row[name]) for name in numbers}})
            except (KeyError, TypeError, ValueError) as error:
                sys.exit(f"{path}, line {number}: not a row of tandem-peers pile ({error})")
    if not rows:
        sys.exit(f"{path}: no rows to draw")
    return rows


def label(library, threads):
    return library if threads == 1 else f"{library}, {int(threads)} threads"


def times(row):
    """How long a step is, and how many times tandem's, as people say it."""
    mean = row["wall_ms_mean"]
    text = f"{mean:.0f} ms" if mean >= 100 else f"{mean:.3g} ms"
    if row["wall_ratio"] not in ("", "1"):
        text += f", {float(row['wall_ratio']):.2g}×"
    return text


def series(rows):
    """The rows of each library and number of threads, in the order of the file."""
    return {key: [row for row in rows if (row["library"], row["threads"]) == key]
            for key in dict.fromkeys((row["library"], row["threads"]) for row in rows)}


def draw(summary, steps):
    means = {(row["library"], row["threads"]): times(row) for row in summary}
    figure, panels = plt.subplots(len(PANELS), 1, figsize=(9, 9), sharex=True, height_ratios=[2, 1, 1])
    for axes, (column, unit) in zip(panels, PANELS):
        for (library, threads), rows in series(steps).items():
            if threads > 1 and column != "wall_ms":
                continue  # the same motion
            name = f"{label(library, threads)}: {means.get((library, threads), '')}"
            axes.plot([row["step"] for row in rows], [row[column] for row in rows], linewidth=1.2,
                      color=COLOURS.get(library, "#999999"), linestyle="-" if threads == 1 else ":",
                      label=name)
        axes.set_yscale("log" if column != "contacts" else "linear")
        axes.set_ylabel(unit)
        axes.grid(alpha=0.3)
    panels[0].legend(fontsize=9, frameon=False, loc="lower right")
    panels[-1].set_xlabel("step")
    first = summary[0]
    figure.suptitle(f"{first['bodies']} bodies ({first['mesh']}, {int(first['triangles']):,} triangles each) fall "
                    f"onto the ground\n{first['cpu']}, one thread unless said; means over the steps",
                    fontsize=11)
    figure.tight_layout()
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("summary", help="written by tandem-peers pile --csv")
    parser.add_argument("steps", help="written by tandem-peers pile --steps-csv")
    parser.add_argument("-o", "--output", action="append", required=True, help=".svg or .png; may be repeated")
    arguments = parser.parse_args()
    matplotlib.rcParams["svg.hashsalt"] = "tandem"  # the same rows give the same file
    summary = read_rows(arguments.summary, ["threads", "wall_ms_mean"])
    steps = read_rows(arguments.steps, ["threads", "step"] + [column for column, _ in PANELS])
    figure = draw(summary, steps)
    for path in arguments.output:
        metadata = {"Date": None} if path.endswith(".svg") else None
        figure.savefig(path, dpi=130, metadata=metadata)


if __name__ == "__main__":
    main()
