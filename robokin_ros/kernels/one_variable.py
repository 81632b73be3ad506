"""Every branch of a 6R arm with two neighbouring axes that meet or are parallel: a search in one variable.

With one joint fixed the others follow in closed form but for one scalar condition. Its roots are bracketed on a grid
along each branch, narrowed, and left to the caller to polish. The two special axes are axes 5 and 6.
"""

from __future__ import annotations

import math

import numpy as np

from robokin_ros.kernels.jit import part
from robokin_ros.kernels.pieper import position_problem
from robokin_ros.kernels.poses import compose, inverse_pose, link_pose, read_pose
from robokin_ros.kernels.trig_equations import solve_two_angles, wrap

SAMPLES = 120
"""Points of the coarse grid of the searched joint."""
MOST_SAMPLES = 1200
LEVELS = 8
"""How often a cell may be halved."""
FINEST = 1e-4
"""[rad] width below which a cell is not halved."""
STRIDE = 0.2
"""[rad] change of the other joints over a cell above which it is halved."""
PATHS = 8
"""Most branches at one value of the searched joint."""
JUMP = 0.35
"""[rad] largest change of the other joints between two grid points of one branch."""
SMALL = 0.2
"""Residual (relative) below which a branch without a change of sign is looked at more closely."""


@part
def meeting_pair(dh, pose, t4, near, size, work, rows):
    """With axes 5 and 6 meeting: rows (t1, t2, t3, residual) for a value of joint 4; their number."""
    after = compose(link_pose(dh[3, 0], dh[3, 1], t4, dh[3, 2]), link_pose(dh[4, 0], dh[4, 1], 0.0, dh[4, 2]))
    d6 = dh[5, 2]
    x, y = pose[0, 3] - d6 * pose[0, 2], pose[1, 3] - d6 * pose[1, 2]
    z = pose[2, 3] - d6 * pose[2, 2] - dh[0, 2]
    first = work[2:6]
    number, _ = position_problem(dh[1, 0], dh[1, 1], dh[2, 0], dh[2, 1], dh[1, 2], dh[2, 2], after[9], after[10],
                                 after[11], x, y, z, near[0], near[1], near[2], size, work[0], work[1], first)
    cosine = math.cos(dh[5, 0])
    for i in range(number):
        arm = compose(link_pose(0.0, 0.0, first[i, 0], 0.0), link_pose(dh[1, 0], dh[1, 1], first[i, 1], 0.0))
        arm = compose(compose(arm, link_pose(dh[2, 0], dh[2, 1], first[i, 2], 0.0)), after)
        for j in range(3):
            rows[i, j] = first[i, j]
        rows[i, 3] = arm[2] * pose[0, 2] + arm[5] * pose[1, 2] + arm[8] * pose[2, 2] - cosine
    return number


@part
def parallel_pair(dh, pose, t1, near, size, work, rows):
    """With axes 5 and 6 parallel: rows (t2, t3, t4, residual) for a value of joint 1; their number."""
    s2, c2 = math.sin(dh[2, 0]), math.cos(dh[2, 0])
    s3, c3 = math.sin(dh[3, 0]), math.cos(dh[3, 0])
    s4, c4 = math.sin(dh[4, 0]), math.cos(dh[4, 0])
    a2, a3, a5 = dh[2, 1], dh[3, 1], dh[5, 1]
    start = compose(link_pose(0.0, 0.0, t1, dh[0, 2]), link_pose(dh[1, 0], dh[1, 1], 0.0, 0.0))
    seen = compose(inverse_pose(start), read_pose(pose))
    wx, wy, wz = seen[2], seen[5], seen[8]
    # s3 s4 cos t4 = c3 c4 - z . (R2^T Rz(-t2) w), and the height along the pair of axes gives sin t4
    first, second, pairs = work[0], work[1], work[4:12]
    first[0], first[1], first[2] = c3 * c4 - c2 * wz, s2 * wy, -s2 * wx
    height = wx * seen[9] + wy * seen[10] + wz * seen[11]
    rest = height - dh[1, 2] * wz - c4 * dh[3, 2] - dh[4, 2] - dh[5, 2] - dh[2, 2] * c2 * wz
    second[0] = rest / size
    second[1], second[2] = (-a2 * wx + dh[2, 2] * s2 * wy) / size, (-a2 * wy - dh[2, 2] * s2 * wx) / size
    number, _ = solve_two_angles(s3 * s4, a3 * s4 / size, first, second, 1.0, near[1], work[2:4], pairs)
    for i in range(number):
        t2, t4 = pairs[i, 0], pairs[i, 1]
        # Rz(t3) takes R3 Rz(t4) R4 z to R2^T Rz(-t2) w
        u0 = s4 * math.sin(t4)
        u1 = -c3 * s4 * math.cos(t4) - s3 * c4
        v0 = wx * math.cos(t2) + wy * math.sin(t2)
        v1 = c2 * (-wx * math.sin(t2) + wy * math.cos(t2)) + s2 * wz
        t3 = math.atan2(u0 * v1 - u1 * v0, u0 * v0 + u1 * v1)
        arm = compose(link_pose(0.0, 0.0, t2, dh[1, 2]), link_pose(dh[2, 0], a2, t3, dh[2, 2]))
        arm = compose(compose(arm, link_pose(dh[3, 0], a3, t4, dh[3, 2])), link_pose(dh[4, 0], dh[4, 1], 0.0, 0.0))
        left = compose(inverse_pose(arm), seen)
        rows[i, 0], rows[i, 1], rows[i, 2] = t2, t3, t4
        rows[i, 3] = (math.hypot(left[9], left[10]) - abs(a5)) / size
    return number


@part
def evaluate(parallel, dh, pose, value, near, size, work, rows):
    """Branches for a value of the searched joint."""
    if parallel:
        return parallel_pair(dh, pose, value, near, size, work, rows)
    return meeting_pair(dh, pose, value, near, size, work, rows)


@part
def complete(parallel, dh, pose, value, row, theta):
    """All six angles of a row: the last two follow from what is left to do (best fit if the residual is not zero)."""
    if parallel:
        theta[0], theta[1], theta[2], theta[3] = value, row[0], row[1], row[2]
    else:
        theta[0], theta[1], theta[2], theta[3] = row[0], row[1], row[2], value
    arm = compose(link_pose(0.0, 0.0, theta[0], dh[0, 2]), link_pose(dh[1, 0], dh[1, 1], theta[1], dh[1, 2]))
    arm = compose(compose(arm, link_pose(dh[2, 0], dh[2, 1], theta[2], dh[2, 2])),
                  link_pose(dh[3, 0], dh[3, 1], theta[3], dh[3, 2]))
    left = compose(inverse_pose(compose(arm, link_pose(dh[4, 0], dh[4, 1], 0.0, 0.0))), read_pose(pose))
    if parallel:
        sign = 1.0 if dh[5, 1] >= 0.0 else -1.0
        theta[4] = math.atan2(sign * left[10], sign * left[9])
        theta[5] = math.atan2(left[3], left[0]) - theta[4]
    else:
        # left = Rz(t5) Rx(al5) Rz(t6): third column (s5 sin t5, -s5 cos t5), third row (s5 sin t6, s5 cos t6)
        s5 = math.sin(dh[5, 0])
        theta[4] = math.atan2(left[2] * s5, -left[5] * s5)
        theta[5] = math.atan2(left[6] * s5, left[7] * s5)


@part
def nearest_row(row, rows, number):
    """Index of the row with the nearest angles, and how far they are."""
    best, distance = -1, math.inf
    for j in range(number):
        apart = 0.0
        for i in range(3):
            apart = max(apart, abs(wrap(rows[j, i] - row[i])))
        if apart < distance:
            best, distance = j, apart
    return best, distance


@part
def narrow(parallel, dh, pose, low, high, start, end, near, size, work, rows, found):
    """Narrow a change of sign between two values of one branch; the value, the row nearest to the root in `found`."""
    below, above = start[3], end[3]
    for i in range(4):
        found[i] = start[i]
    value = low
    for step in range(12):
        share = below / (below - above)
        if step % 3 == 2:
            share = 0.5
        value = low + share * (high - low)
        number = evaluate(parallel, dh, pose, value, near, size, work, rows)
        j, distance = nearest_row(found, rows, number)
        if j < 0 or distance > JUMP:
            break
        for i in range(4):
            found[i] = rows[j, i]
        if abs(found[3]) < 1e-9:
            break
        if (found[3] > 0.0) == (below > 0.0):
            low, below = value, found[3]
        else:
            high, above = value, found[3]
    return value


@part
def is_smooth(here, there, number_here, number_there):
    """Whether every branch of a cell goes on to the other side, changing little."""
    if number_here != number_there:
        return False
    for j in range(number_here):
        _, distance = nearest_row(here[j], there, number_there)
        if distance > STRIDE:
            return False
    return True


@part
def has_hollow(before, here, there, number_before, number_here, number_there):
    """Whether the residual of a branch turns back before it reaches zero, near enough that two roots may hide there."""
    for j in range(number_here):
        left, apart = nearest_row(here[j], before, number_before)
        right, distance = nearest_row(here[j], there, number_there)
        if left < 0 or right < 0 or apart > JUMP or distance > JUMP:
            continue
        a, b, c = before[left, 3], here[j, 3], there[right, 3]
        if (a > 0.0) == (b > 0.0) == (c > 0.0) and abs(b) <= abs(a) and abs(b) <= abs(c) and \
                abs(b) < 2.0 * max(abs(a - b), abs(c - b)):
            return True
    return False


@part
def sample(parallel, dh, pose, near, size, work, values, grid, numbers):
    """Branches on a grid of the searched joint that is finer where they end, bend quickly or come near to a root.

    Fills `values`, `grid` and `numbers` in ascending order; the number of points. The last point repeats the first.
    """
    spacing = 2.0 * math.pi / SAMPLES
    count = SAMPLES + 1
    for k in range(count):
        values[k] = -math.pi + (k + 0.137) * spacing
        if k < SAMPLES:
            numbers[k] = evaluate(parallel, dh, pose, values[k], near, size, work, grid[k])
        else:
            numbers[k], grid[k] = numbers[0], grid[0]
    marked = np.zeros(values.shape[0], dtype=np.bool_)
    for _ in range(LEVELS):
        extra = 0
        for k in range(count - 1):
            marked[k] = not is_smooth(grid[k], grid[k + 1], numbers[k], numbers[k + 1])
        for k in range(1, count - 1):
            if has_hollow(grid[k - 1], grid[k], grid[k + 1], numbers[k - 1], numbers[k], numbers[k + 1]):
                marked[k - 1] = marked[k] = True
        for k in range(count - 1):
            if marked[k] and values[k + 1] - values[k] > FINEST:
                extra += 1
            else:
                marked[k] = False
        if extra == 0 or count + extra > values.shape[0]:
            break
        place = count + extra - 1
        for k in range(count - 1, -1, -1):  # from the end, so that nothing is overwritten before it is moved
            if k < count - 1 and marked[k]:
                values[place] = 0.5 * (values[k] + values[place + 1])
                numbers[place] = evaluate(parallel, dh, pose, values[place], near, size, work, grid[place])
                place -= 1
            if place != k:
                values[place], numbers[place], grid[place] = values[k], numbers[k], grid[k]
            place -= 1
        count += extra
    return count


@part
def one_variable(parallel, dh, pose, near, size, work, thetas):
    """Starting points for every branch as rows of `thetas`, to be polished; their number."""
    values, numbers = np.empty(MOST_SAMPLES), np.zeros(MOST_SAMPLES, dtype=np.int64)
    grid = np.empty((MOST_SAMPLES, PATHS, 4))
    rows, found = np.empty((PATHS, 4)), np.empty(4)
    points = sample(parallel, dh, pose, near, size, work, values, grid, numbers)
    count = 0
    for k in range(points - 1):
        for side in (0, 1):
            # forwards every branch is followed; backwards only those that begin here are looked at
            here, there = k + side, k + 1 - side
            for j in range(numbers[here]):
                if count >= thetas.shape[0] - 1:
                    return count
                row = grid[here, j]
                follower, distance = nearest_row(row, grid[there], numbers[there])
                if follower < 0 or distance > JUMP:  # a fold, or a quick bend: a root may lie on the way round it
                    if abs(row[3]) < SMALL:
                        complete(parallel, dh, pose, values[here], row, thetas[count])
                        count += 1
                elif side == 0 and (row[3] > 0.0) != (grid[there, follower, 3] > 0.0):
                    root = narrow(parallel, dh, pose, values[here], values[there], row, grid[there, follower], near,
                                  size, work, rows, found)
                    complete(parallel, dh, pose, root, found, thetas[count])
                    count += 1
        if k > 0 and has_hollow(grid[k - 1], grid[k], grid[k + 1], numbers[k - 1], numbers[k], numbers[k + 1]):
            for j in range(numbers[k]):
                if abs(grid[k, j, 3]) < SMALL and count < thetas.shape[0] - 1:
                    complete(parallel, dh, pose, values[k], grid[k, j], thetas[count])
                    count += 1
    return count
