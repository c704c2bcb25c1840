#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Writes the files of configs/patterns that a formula and a seed describe: blobs for anneal,
# obstacles for fhp, terrains for water, and Conway's forms in two layers for life3d. The others of
# life3d were found by search. patterns.py FOLDER; nothing but the standard library is needed, and
# the same bytes come out each time.
import math, os, random, sys

ROW = math.sqrt(3) / 2  # of a column's width: the distance of fhp's rows
folder = sys.argv[1]


def put(name, data):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def picture(name, w, h, black, *comments):
    """A raw PBM (P4), with comments behind the magic number."""
    rows = bytearray()
    for y in range(h):
        bits = 0
        for x in range(w):
            bits = bits << 1 | bool(black(x, y))
        rows += (bits << -w % 8).to_bytes(-(-w // 8), "big")
    head = "P4\n" + "".join("# %s\n" % c for c in comments) + "%d %d\n" % (w, h)
    put(name, head.encode() + bytes(rows))


# --- anneal: domains -------------------------------------------------------------------------

# A shape with the lattice's own symmetry keeps it, and soon no cell of its edge can go: so none has
# it, and curvature moves the edges as in the continuum.
MIDDLE = (64.3, 64.1)


def disc(x, y, r):
    return (x + 0.5 - MIDDLE[0]) ** 2 + (y + 0.5 - MIDDLE[1]) ** 2 <= r * r


picture("anneal/disc.pbm", 128, 128, lambda x, y: disc(x, y, 32),
        "A disc: cells whose centre is within 32 of (64.3, 64.1). Around (64, 64) it would have the",
        "symmetry of the lattice, keep it, and stop to shrink.")
picture("anneal/ring.pbm", 128, 128, lambda x, y: disc(x, y, 50) and not disc(x, y, 24),
        "A ring: cells whose centre is 24 to 50 from (64.3, 64.1).")
picture("anneal/stripe.pbm", 128, 128,
        lambda x, y: abs(y + 0.5 - 64.3 - 7 * math.sin(2 * math.pi * x / 64)
                         - 5 * math.sin(2 * math.pi * (3 * x + 5) / 128)) < 18,
        "A stripe of 36 rows, whose edges are a sum of two sines: 7 rows high and 64 columns long, 5",
        "rows high and 42.7 columns long.")
walk = random.Random(4711)
edge = [64]
for x in range(1, 128):
    edge.append(min(76, max(52, edge[-1] + walk.choice((-2, -1, 1, 2)))))
picture("anneal/half-planes.pbm", 128, 128, lambda x, y: y < edge[x],
        "Two half planes. Their edge is a random walk in steps of 1 or 2, kept in rows 52 ... 76,",
        "by Python's random.Random(4711); on the torus they also meet in the straight row 0.")


# --- fhp: obstacles --------------------------------------------------------------------------

def column(x, y):
    return x + y % 2 / 2  # odd rows are shifted by half a column


def naca(m, p, t, chord, degrees, x, y):
    """Whether a point is inside a NACA 4-digit airfoil with its leading edge at 0,0, y upward."""
    a = math.radians(degrees)  # nose up: the flow goes along x
    u = (x * math.cos(a) - y * math.sin(a)) / chord
    v = (x * math.sin(a) + y * math.cos(a)) / chord
    if not 0 <= u <= 1:
        return False
    half = 5 * t * (0.2969 * math.sqrt(u) - 0.1260 * u - 0.3516 * u**2 + 0.2843 * u**3
                    - 0.1015 * u**4)
    camber = m / p**2 * (2 * p * u - u * u) if u < p else \
        m / (1 - p) ** 2 * (1 - 2 * p + 2 * p * u - u * u)
    return abs(v - camber) <= half


def walled(h, black):
    return lambda x, y: y in (0, h - 1) or black(column(x, y), y * ROW)


W, H = 512, 256
picture("fhp/airfoil.pbm", W, H,
        walled(H, lambda x, y: naca(0.02, 0.4, 0.12, 160, 12, x - 130, 100 - y)),
        "NACA 2412: an airfoil of 160 columns at 12 degrees in a channel, for the lattice gas.",
        "Thickness 5 t (0.2969 sqrt(u) - 0.1260 u - 0.3516 u^2 + 0.2843 u^3 - 0.1015 u^4), t = 0.12,",
        "across the camber line of m = 0.02, p = 0.4: Jacobs, Ward, Pinkerton, NACA Report 460 (1933).",
        "The thickness is laid off upward, not across the line; rows are sqrt(3)/2 columns apart.")
picture("fhp/grid.pbm", W, H,
        walled(H, lambda x, y: 96 <= x < 108 and y % (256 * ROW / 8) < 12),
        "A grid across a channel: 8 bars of 12 by 12 columns, every 27.7; rows are sqrt(3)/2 columns",
        "apart.")
grains = random.Random(1856)
SIDE, ROWS = 256, 296  # ROWS * ROW is 256.3 columns: as high as wide
centres = [(grains.random() * SIDE, grains.random() * ROWS * ROW, 4 + 6 * grains.random())
           for _ in range(120)]


def grain(x, y):
    for cx, cy, r in centres:
        dx, dy = abs(x - cx), abs(y - cy)
        dx, dy = min(dx, SIDE - dx), min(dy, ROWS * ROW - dy)
        if dx * dx + dy * dy <= r * r:
            return True
    return False


picture("fhp/porous.pbm", SIDE, ROWS, lambda x, y: grain(column(x, y), y * ROW),
        "A porous medium that closes round all edges: 120 discs that may overlap, of 4 to 10 columns'",
        "radius, at random places by Python's random.Random(1856); rows are sqrt(3)/2 columns apart.")


# --- water: terrains -------------------------------------------------------------------------

def grid(name, rows, form):
    head = "ncols %d\nnrows %d\nxllcorner 0\nyllcorner 0\ncellsize 1\n" % (len(rows[0]), len(rows))
    put(name, (head + "".join(" ".join(form % v for v in row) + "\n" for row in rows)).encode())


def diamond_square(n, corners, rough, fall, rng):
    """Midpoint displacement on (2^n + 1)^2 points: Fournier, Fussell, Carpenter, CACM 25 (1982),
    in squares and diamonds by turns."""
    s = 1 << n
    h = [[0.0] * (s + 1) for _ in range(s + 1)]
    h[0][0], h[0][s], h[s][0], h[s][s] = corners
    step = s
    while step > 1:
        half = step // 2
        for y in range(half, s, step):
            for x in range(half, s, step):
                mean = (h[y - half][x - half] + h[y - half][x + half] + h[y + half][x - half]
                        + h[y + half][x + half]) / 4
                h[y][x] = mean + rough * (2 * rng.random() - 1)
        for y in range(0, s + 1, half):
            for x in range((y + half) % step, s + 1, step):
                near = [h[j][i] for j, i in ((y - half, x), (y + half, x), (y, x - half), (y, x + half))
                        if 0 <= j <= s and 0 <= i <= s]
                h[y][x] = sum(near) / len(near) + rough * (2 * rng.random() - 1)
        step, rough = half, rough * fall
    return h


N = 7
S = 1 << N
hills = diamond_square(N, (0, 0, 0, 0), 12, 0.55, random.Random(1982))
# A valley that falls from west to east, whose floor winds.
valley = [[max(0, 20 * (1 - x / S) + 0.9 * abs(y - S / 2 - 12 * math.sin(2 * math.pi * x / S))
               + 0.6 * hills[y][x] + 8) for x in range(S + 1)] for y in range(S + 1)]
spring = max(range(S + 1), key=lambda y: -valley[y][2])
grid("water/valley.asc", valley, "%.1f")
grid("water/valley-spring.asc", [[5 if (x, y) == (2, spring) else 0 for x in range(S + 1)]
                                 for y in range(S + 1)], "%d")
DAM_W, DAM_H, DAM = 160, 64, 40


def floor_at(x, y):
    if x == DAM and not 26 <= y < 38:
        return 15  # the dam, with a breach of 12 cells
    if 80 <= x < 90 and 28 <= y < 36:
        return 15  # a house
    return 0


grid("water/dam-break.asc", [[floor_at(x, y) for x in range(DAM_W)] for y in range(DAM_H)], "%d")
grid("water/dam-break-depth.asc", [[10 if x < DAM else 0 for x in range(DAM_W)]
                                   for y in range(DAM_H)], "%d")


# --- life3d: Conway's forms in two layers ----------------------------------------------------

CONWAY = {
    "glider-5766": ("bbo$obo$boo", "Conway's glider"),
    "blinker-5766": ("ooo", "Conway's blinker"),
    "toad-5766": ("booo$ooo", "Conway's toad"),
    "beacon-5766": ("oo$oo$bboo$bboo", "Conway's beacon"),
    "clock-5766": ("bbo$obo$bobo$bo", "Conway's clock"),
    "block-5766": ("oo$oo", "Conway's block"),
    "beehive-5766": ("boo$obbo$boo", "Conway's beehive"),
    "loaf-5766": ("boo$obbo$bobo$bbo", "Conway's loaf"),
    "boat-5766": ("oo$obo$bo", "Conway's boat"),
}


def runs(row):
    text, i = "", 0
    row = row.rstrip("b")
    while i < len(row):
        j = i
        while j < len(row) and row[j] == row[i]:
            j += 1
        text += (str(j - i) if j - i > 1 else "") + row[i]
        i = j
    return text


def rle3(name, rule, layers, comments):
    w = max(len(row) for layer in layers for row in layer)
    h = max(len(layer) for layer in layers)
    text = "3D version=1\n" + "".join("# %s\n" % c for c in comments)
    text += "x=%d y=%d z=%d rule=%s\n" % (w, h, len(layers), rule)
    put("life3d/%s.rle3" % name,
        (text + "/".join("$".join(map(runs, layer)) for layer in layers) + "!\n").encode())


for name, (rows, what) in CONWAY.items():
    rle3(name, "3D5..7/6", [rows.split("$")] * 2, (
        what + " in two layers, for Bays' rule 5766. A cell there counts each neighbour of Conway's",
        "rule twice, and itself once more: 2 and 3 become 5 and 7, a birth by 3 one by 6. Outside the",
        "layers nothing is born as long as no square of 3x3 cells has 6 live ones.",
        "Bays, Candidates for the Game of Life in Three Dimensions, Complex Systems 1 (1987)."))
