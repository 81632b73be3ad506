"""Every branch of small arms, SCARAs and gantries: the orientation gives sums of parallel joints, position the rest.

Revolute joints that follow each other with parallel axes form a group; an orientation of at most three groups gives the
sum of the angles in each. What is left are angles inside groups and slides, which the position decides (KIN-23, 24, 28,
30). Axes, centres and the tip are those of the arm with all joints at zero, in its base.
"""

from __future__ import annotations

import math

import numpy as np

from robokin_ros.kernels.jit import part
from robokin_ros.kernels.trig_equations import FREE, solve_linear, wrap

ALL_KNOWN, ONE_ANGLE, ANGLE_AND_SLIDE, TRIANGLE, TWO_GROUPS, TRIANGLE_AND_ANGLE = 0, 1, 2, 3, 4, 5
"""What the position has to decide, besides free slides; see `position_part_of`."""
SINGULAR = 1e-6


@part
def dot(a, b):
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@part
def cross(a, b):
    """Vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@part
def minus(a, b):
    """Difference."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@part
def along(a, b, t):
    """A + t b."""
    return a[0] + t * b[0], a[1] + t * b[1], a[2] + t * b[2]


@part
def turned(v, angle, x):
    """Vector x turned about the unit vector v: Rodrigues, Craig (A.9)."""
    c, s = math.cos(angle), math.sin(angle)
    k = (1.0 - c) * dot(v, x)
    w = cross(v, x)
    return c * x[0] + s * w[0] + k * v[0], c * x[1] + s * w[1] + k * v[1], c * x[2] + s * w[2] + k * v[2]


@part
def applied(r, x):
    """Matrix times vector."""
    return (r[0, 0] * x[0] + r[0, 1] * x[1] + r[0, 2] * x[2], r[1, 0] * x[0] + r[1, 1] * x[1] + r[1, 2] * x[2],
            r[2, 0] * x[0] + r[2, 1] * x[1] + r[2, 2] * x[2])


@part
def applied_back(r, x):
    """Transposed matrix times vector."""
    return (r[0, 0] * x[0] + r[1, 0] * x[1] + r[2, 0] * x[2], r[0, 1] * x[0] + r[1, 1] * x[1] + r[2, 1] * x[2],
            r[0, 2] * x[0] + r[1, 2] * x[1] + r[2, 2] * x[2])


@part
def angle_about(v, x, y, near, size):
    """Angle about v that takes x to y, as far as these are across v; `near` and True if that is nothing."""
    n = cross(v, x)
    s, c = dot(n, y), dot(x, y) - dot(v, x) * dot(v, y)
    if math.hypot(s, c) < SINGULAR * size * size:
        return near, True
    return math.atan2(s, c), False


@part
def group_sums(r, groups, near, sums, roots):
    """Sums of the angles of each group (rows of `sums`) for the rotation r; (number, first group free)."""
    number = groups.shape[0]
    if number == 0:
        return 1, False
    v1 = (groups[0, 0], groups[0, 1], groups[0, 2])
    if number == 1:
        # any vector across the axis: the one that r moves most is the best known
        e = (1.0, 0.0, 0.0) if abs(v1[0]) < 0.7 else (0.0, 1.0, 0.0)
        x = minus(e, along((0.0, 0.0, 0.0), v1, dot(e, v1)))
        sums[0, 0], _ = angle_about(v1, x, applied(r, x), 0.0, 1.0)
        return 1, False
    v2 = (groups[1, 0], groups[1, 1], groups[1, 2])
    if number == 2:
        sums[0, 0], _ = angle_about(v1, v2, applied(r, v2), 0.0, 1.0)
        back, _ = angle_about(v2, v1, applied_back(r, v1), 0.0, 1.0)
        sums[0, 1] = -back
        return 1, False
    v3 = (groups[2, 0], groups[2, 1], groups[2, 2])
    # v1 . Rot(v2, S2) v3 = v1 . r v3
    target = applied(r, v3)
    constant = dot(v1, v2) * dot(v2, v3)
    count = solve_linear(dot(v1, v3) - constant, dot(v1, cross(v2, v3)), dot(v1, target) - constant, 1.0, roots)
    if count == FREE:
        return 0, False
    free = False
    for i in range(count):
        s2 = roots[i]
        moved = turned(v2, s2, v3)
        sums[i, 1] = s2
        sums[i, 0], loose = angle_about(v1, moved, target, near, 1.0)
        free = free or loose
        # Rot(v3, S3) takes v3-frame vectors: compare a vector across v3
        e = v2 if abs(dot(v2, v3)) < 0.9 else (v1 if abs(dot(v1, v3)) < 0.9 else (1.0, 0.0, 0.0))
        wanted = turned(v2, -s2, turned(v1, -sums[i, 0], applied(r, e)))
        sums[i, 2], _ = angle_about(v3, e, wanted, 0.0, 1.0)
    return count, free


@part
def angle_or_free(v, x, y, near, size, loose):
    """The same; sets `loose[0]` where any angle would do."""
    angle, free = angle_about(v, x, y, near, size)
    if free:
        loose[0] = True
    return angle


@part
def position_part_of(pattern, group_axes, vectors, inner_slide, slide_directions, slides, rhs, size, near, roots,
                     loose, out):
    """Unknown angles and slides from: sum of B Rot(v, phi) e + sum of q u = rhs. Rows (angles, slides) into `out`.

    Everything is in base axes: `group_axes` (already carried there), `vectors` e likewise at phi = 0. Returns the
    number of rows.
    """
    u0 = (slide_directions[0, 0], slide_directions[0, 1], slide_directions[0, 2])
    if pattern == ALL_KNOWN:
        least_squares(slide_directions, slides, rhs, out[0])
        return 1
    v = (group_axes[0, 0], group_axes[0, 1], group_axes[0, 2])
    e = (vectors[0, 0], vectors[0, 1], vectors[0, 2])
    if pattern == ANGLE_AND_SLIDE:
        # |e + q w| = |rhs| across v
        w = (inner_slide[0], inner_slide[1], inner_slide[2])
        ep, wp = along(e, v, -dot(e, v)), along(w, v, -dot(w, v))
        rp = along(rhs, v, -dot(rhs, v))
        a, b = dot(wp, wp), dot(ep, wp)
        square = b * b - a * (dot(ep, ep) - dot(rp, rp))
        if square < -1e-6 * size * size * a:
            return 0
        root = math.sqrt(max(square, 0.0))
        count = 0
        for sign in (1.0, -1.0):
            q = (-b + sign * root) / a
            out[count, 0] = angle_or_free(v, along(e, w, q), rhs, near[0], size, loose)
            out[count, 1] = q
            count += 1
            if root == 0.0:
                break
        return count
    if pattern == ONE_ANGLE:
        return one_angle(v, e, slide_directions, slides, rhs, size, near, roots, loose, out)
    f = (vectors[1, 0], vectors[1, 1], vectors[1, 2])
    if pattern == TRIANGLE:
        if slides == 1:  # along the common axis
            height = (dot(rhs, v) - dot(e, v) - dot(f, v)) / dot(u0, v)
            rhs = along(rhs, u0, -height)
            out[0, 2] = out[1, 2] = height
        return triangle(v, e, f, rhs, size, near[0], loose, out)
    v2 = (group_axes[1, 0], group_axes[1, 1], group_axes[1, 2])
    if pattern == TWO_GROUPS:
        # along v only the second circle moves
        constant = dot(v, v2) * dot(v2, f)
        number = solve_linear(
            dot(v, f) - constant, dot(v, cross(v2, f)), dot(v, rhs) - dot(v, e) - constant, size, roots
        )
        if number == FREE:
            # the planes are parallel to each other in this pose: distances decide instead
            return 0
        for i in range(number):
            out[i, 1] = roots[i]
            out[i, 0] = angle_or_free(v, e, minus(rhs, turned(v2, roots[i], f)), near[0], size, loose)
        return number
    # a triangle in group 1 and one angle in another group
    v3 = (group_axes[2, 0], group_axes[2, 1], group_axes[2, 2])
    g = (vectors[2, 0], vectors[2, 1], vectors[2, 2])
    constant = dot(v, v3) * dot(v3, g)
    number = solve_linear(dot(v, g) - constant, dot(v, cross(v3, g)), dot(v, rhs) - dot(v, e) - dot(v, f) - constant,
                          size, roots)
    count = 0
    for i in range(max(number, 0)):
        angle = roots[i]
        found = triangle(v, e, f, minus(rhs, turned(v3, angle, g)), size, near[0], loose, out[count:])
        for j in range(found):
            out[count + j, 2] = angle
        count += found
    return count


@part
def one_angle(v, e, directions, slides, rhs, size, near, roots, loose, out):
    """Rot(v, phi) e + sum of q u = rhs with no, one or two slides."""
    u = (directions[0, 0], directions[0, 1], directions[0, 2])
    if slides == 0:
        out[0, 0] = angle_or_free(v, e, rhs, near[0], size, loose)
        return 1
    if slides == 1:
        axial = dot(u, v)
        if abs(axial) > 1e-6:
            q = (dot(rhs, v) - dot(e, v)) / axial
            out[0, 0] = angle_or_free(v, e, along(rhs, u, -q), near[0], size, loose)
            out[0, 1] = q
            return 1
        # the slide lies in the plane of the circle: a line meets a circle
        ep, rp = along(e, v, -dot(e, v)), along(rhs, v, -dot(rhs, v))
        b = dot(rp, u)
        square = b * b - (dot(rp, rp) - dot(ep, ep))
        if square < -1e-6 * size * size:
            return 0
        root = math.sqrt(max(square, 0.0))
        for i in range(2):
            q = b + (root if i == 0 else -root)
            out[i, 0] = angle_or_free(v, e, along(rhs, u, -q), near[0], size, loose)
            out[i, 1] = q
        return 2 if root > 0.0 else 1
    # two slides span a plane: its normal sees the circle alone
    n = cross(u, (directions[1, 0], directions[1, 1], directions[1, 2]))
    constant = dot(n, v) * dot(v, e)
    number = solve_linear(dot(n, e) - constant, dot(n, cross(v, e)), dot(n, rhs) - constant, size, roots)
    if number == FREE:
        roots[0] = near[0]
        number = 1
    for i in range(number):
        out[i, 0] = roots[i]
        least_squares(directions, slides, minus(rhs, turned(v, roots[i], e)), out[i, 1:])
    return number


@part
def triangle(v, e, f, rhs, size, near, loose, out):
    """Two angles with Rot(v, a) e + Rot(v, b) f = rhs across v: two bends (KIN-24)."""
    ep, fp, rp = along(e, v, -dot(e, v)), along(f, v, -dot(f, v)), along(rhs, v, -dot(rhs, v))
    # |rp|^2 = |e|^2 + |f|^2 + 2 Rot(v, b - a) f . e
    number = 0
    cosine, sine = dot(ep, fp), dot(ep, cross(v, fp))
    reach = math.hypot(cosine, sine)
    if reach < 1e-12 * size * size:
        return 0
    ratio = 0.5 * (dot(rp, rp) - dot(ep, ep) - dot(fp, fp)) / reach
    if abs(ratio) > 1.0 + 1e-6:
        return 0
    middle = math.atan2(sine, cosine)
    half = math.acos(min(max(ratio, -1.0), 1.0))
    for i in range(2):
        bend = middle + (half if i == 0 else -half)
        whole = turned(v, bend, fp)
        whole = (whole[0] + ep[0], whole[1] + ep[1], whole[2] + ep[2])
        a = angle_or_free(v, whole, rp, near, size, loose)
        out[number, 0], out[number, 1] = a, a + bend
        number += 1
        if half == 0.0 or half == math.pi:
            break
    return number


@part
def least_squares(directions, slides, rhs, out):
    """Slides q with sum of q u nearest to rhs; directions are unit vectors, not parallel to each other."""
    if slides == 0:
        return
    a = (directions[0, 0], directions[0, 1], directions[0, 2])
    if slides == 1:
        out[0] = dot(a, rhs)
        return
    b = (directions[1, 0], directions[1, 1], directions[1, 2])
    if slides == 2:
        ab = dot(a, b)
        determinant = 1.0 - ab * ab
        out[0] = (dot(a, rhs) - ab * dot(b, rhs)) / determinant
        out[1] = (dot(b, rhs) - ab * dot(a, rhs)) / determinant
        return
    c = (directions[2, 0], directions[2, 1], directions[2, 2])
    volume = dot(a, cross(b, c))
    out[0], out[1], out[2] = (
        dot(rhs, cross(b, c)) / volume,
        dot(rhs, cross(c, a)) / volume,
        dot(rhs, cross(a, b)) / volume,
    )


@part
def orientation_first(pattern, axes, centers, plan, signs, groups, tip, pose, near, size, thetas):
    """Branches of a pose (4x4 in the base of the chain) as rows of `thetas`; (number, free bits).

    `plan` rows per joint: slides (0, 1); group (-1 for slides); last of its group (0, 1); place of its unknown angle or
    slide in the position problem (-1: none).
    """
    n = axes.shape[0]
    sums, roots = np.zeros((2, 3)), np.empty(6)
    relative = np.empty((3, 3))  # R R_M^T
    for i in range(3):
        for j in range(3):
            relative[i, j] = pose[i, 0] * tip[j, 0] + pose[i, 1] * tip[j, 1] + pose[i, 2] * tip[j, 2]
    near_sum = 0.0
    for i in range(n):
        if plan[i, 1] == 0:
            near_sum += signs[i] * near[i]
    number, loose = group_sums(relative, groups, near_sum, sums, roots)
    free = 0
    any_angle = np.zeros(1, dtype=np.bool_)
    carried, vectors, directions = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3))
    inner, guess = np.zeros(3), np.zeros(3)
    found = np.empty((4, 4))
    count = 0
    for b in range(number):
        # walk out along the chain; `done` groups are carried into the base by their whole sums
        rhs = minus((pose[0, 3], pose[1, 3], pose[2, 3]), next_center(-1, plan, centers, tip))
        unknown, slides = 0, 0
        group = -1
        partial = -1  # place of the unknown angle that the present segment turns with
        angle_so_far = 0.0
        for i in range(n):
            if plan[i, 0] == 1:
                w = (axes[i, 0], axes[i, 1], axes[i, 2])
                direction = carry(w, groups, sums[b], group, plan[i, 2])
                if pattern == ANGLE_AND_SLIDE and plan[i, 3] >= 0 and partial >= 0:
                    inner[0], inner[1], inner[2] = direction
                else:
                    directions[slides, 0], directions[slides, 1], directions[slides, 2] = direction
                    slides += 1
            else:
                if plan[i, 1] != group:
                    angle_so_far = 0.0
                group = plan[i, 1]
                angle_so_far += signs[i] * near[i]
                if plan[i, 2] == 1:
                    partial = -1
                else:
                    partial = plan[i, 3]
                    axis = carry((groups[group, 0], groups[group, 1], groups[group, 2]), groups, sums[b], group, 0)
                    carried[partial, 0], carried[partial, 1], carried[partial, 2] = axis
                    guess[partial] = angle_so_far
                    unknown += 1
            if plan[i, 0] == 1:
                continue
            segment = minus(next_center(i, plan, centers, tip), (centers[i, 0], centers[i, 1], centers[i, 2]))
            whole = carry(segment, groups, sums[b], group, plan[i, 2])
            if plan[i, 2] == 1:
                rhs = minus(rhs, whole)
            else:
                vectors[partial, 0], vectors[partial, 1], vectors[partial, 2] = whole
        rows = position_part_of(pattern, carried, vectors, inner, directions, slides, rhs, size, guess, roots,
                                any_angle, found)
        for r in range(rows):
            if count >= thetas.shape[0]:
                break
            write_joints(plan, signs, sums[b], found[r], unknown, thetas[count])
            count += 1
    for i in range(n):
        if (any_angle[0] and plan[i, 0] == 0 and plan[i, 3] == 0) or (loose and plan[i, 1] == 0):
            free |= 1 << i
            break
    return count, free


@part
def next_center(i, plan, centers, tip):
    """Centre of the first revolute joint after joint i, or the tip."""
    for j in range(i + 1, plan.shape[0]):
        if plan[j, 0] == 0:
            return centers[j, 0], centers[j, 1], centers[j, 2]
    return tip[0, 3], tip[1, 3], tip[2, 3]


@part
def carry(x, groups, sums, group, whole):
    """Vector of the arm at zero, turned by all groups up to `group`, that one included only if `whole`."""
    last = group if whole == 1 else group - 1
    for k in range(last, -1, -1):
        x = turned((groups[k, 0], groups[k, 1], groups[k, 2]), sums[k], x)
    return x


@part
def write_joints(plan, signs, sums, row, unknown, theta):
    """Joint values of a row of unknowns: differences of the running angles of each group, and slides."""
    group, before, slide = -1, 0.0, unknown
    for i in range(plan.shape[0]):
        if plan[i, 0] == 1:
            theta[i] = row[slide]
            slide += 1
            continue
        if plan[i, 1] != group:
            group, before = plan[i, 1], 0.0
        now = sums[group] if plan[i, 2] == 1 else row[plan[i, 3]]
        theta[i] = wrap(signs[i] * (now - before))
        before = now
