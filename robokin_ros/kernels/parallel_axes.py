"""Every branch of a 6R arm whose axes 2, 3 and 4 are parallel (UR type and its relatives).

The three joints move like a planar arm: what they cannot change, the direction of their axes and the height along it,
gives two equations in theta1 and theta5.
"""

from __future__ import annotations

import math

from robokin_ros.kernels.jit import part
from robokin_ros.kernels.poses import compose, inverse_pose, link_pose, read_pose
from robokin_ros.kernels.trig_equations import solve_two_angles

SINGULAR = 1e-6


@part
def parallel_axes(dh, pose, near, size, work, thetas):
    """Branches as rows of `thetas`; (number, free bits). `work` is (>= 12, 6)."""
    s1, c1 = math.sin(dh[1, 0]), math.cos(dh[1, 0])
    s4, c4 = math.sin(dh[4, 0]), math.cos(dh[4, 0])
    s5, c5 = math.sin(dh[5, 0]), math.cos(dh[5, 0])
    d5, d6, a5 = dh[4, 2], dh[5, 2], dh[5, 1]
    offset = dh[1, 2] + dh[2, 2] + dh[3, 2]
    target = read_pose(pose)
    closing = inverse_pose(target)
    # g = R_K^T (d6 z + p_K) = d6 R z - p, in frame {0}
    gx, gy, gz = d6 * target[2] - target[9], d6 * target[5] - target[10], d6 * target[8] - target[11]
    first, second, pairs = work[0], work[1], work[4:12]
    # s4 s5 cos t5 = c4 c5 - c1 k22 - s1 (k20 sin t1 - k21 cos t1)
    first[0], first[1], first[2] = c4 * c5 - c1 * closing[8], s1 * closing[7], -s1 * closing[6]
    # s4 a5 sin t5 = -D - c4 d5 - c1 (gz + d1) - s1 (gx sin t1 - gy cos t1); divided by the arm's size
    second[0] = (-offset - c4 * d5 - c1 * (gz + dh[0, 2])) / size
    second[1], second[2] = s1 * gy / size, -s1 * gx / size
    number, loose = solve_two_angles(s4 * s5, s4 * a5 / size, first, second, 1.0, near[0], work[2:4], pairs)
    free = 1 if loose else 0
    count = 0
    right = abs(c4) < 1e-9 and abs(c5) < 1e-9
    for i in range(number):
        t1, t5 = pairs[i, 0], pairs[i, 1]
        # y = R_K Rz(t1) R1 z and x = R5^T Rz(-t5) R4^T z; Rz(t6) takes y to x
        b0, b1, b2 = s1 * math.sin(t1), -s1 * math.cos(t1), c1
        y0 = closing[0] * b0 + closing[1] * b1 + closing[2] * b2
        y1 = closing[3] * b0 + closing[4] * b1 + closing[5] * b2
        if right:  # the sine of t5 is known better than its cosine
            t5 = math.copysign(math.atan2(math.hypot(y0, y1), math.cos(t5)), t5)
        x0, x1 = s4 * math.sin(t5), c5 * s4 * math.cos(t5) + s5 * c4
        if math.hypot(x0, x1) < SINGULAR:
            t6 = near[5]
            free |= 32
        else:
            t6 = math.atan2(x1 * y0 - x0 * y1, x0 * y0 + x1 * y1)
        before = inverse_pose(compose(link_pose(0.0, 0.0, t1, dh[0, 2]), link_pose(dh[1, 0], dh[1, 1], 0.0, 0.0)))
        after = inverse_pose(compose(link_pose(dh[4, 0], dh[4, 1], t5, d5), link_pose(dh[5, 0], dh[5, 1], t6, d6)))
        count = planar_joints(compose(compose(before, target), after), dh, t1, t5, t6, thetas, count)
    return count, free


@part
def planar_joints(plane, dh, t1, t5, t6, thetas, count):
    """Joints 2, 3, 4 from the planar motion they must make: two bends of the elbow (KIN-24)."""
    a2, a3 = dh[2, 1], dh[3, 1]
    x, y, total = plane[9], plane[10], math.atan2(plane[3], plane[0])
    cosine = (x * x + y * y - a2 * a2 - a3 * a3) / (2.0 * a2 * a3)
    if abs(cosine) > 1.0 + 1e-6:
        return count
    elbow = math.acos(min(max(cosine, -1.0), 1.0))
    bends = 1 if elbow < 1e-9 or math.pi - elbow < 1e-9 else 2
    for k in range(bends):
        t3 = elbow if k == 0 else -elbow
        t2 = math.atan2(y, x) - math.atan2(a3 * math.sin(t3), a2 + a3 * math.cos(t3))
        if count < thetas.shape[0]:
            thetas[count, 0], thetas[count, 1], thetas[count, 2] = t1, t2, t3
            thetas[count, 3], thetas[count, 4], thetas[count, 5] = total - t2 - t3, t5, t6
            count += 1
    return count
