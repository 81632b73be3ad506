"""Motions with results: joint space, a straight line, planning only, speed, cancel. Needs a running suite.

Start one with `./robokin up --robot puma560`, then run this in another shell.
"""

import numpy as np

from robokin_ros.client import Arm


def main() -> None:
    """Show the ways to move."""
    with Arm() as arm:
        arm.wait_until_ready()
        print(arm.move_joints([0.3, -1.2, -1.0, 0.0, 0.5, 0.0], timing='jerk_limited'))
        goal = arm.fk()
        goal[:3, 3] -= [0.05, 0.1, 0.05]
        plan = arm.plan(pose=goal, path='lin', timing='time_optimal')
        print(f'The line takes {plan.duration:.2f} s and at most {np.round(plan.peak_effort, 1)} N m.')
        print(arm.move_to_pose(goal, path='lin'))
        goal[0, 3] = 5.0
        print('Too far:', arm.move_to_pose(goal).reason)
        arm.move_joints([0.0, -1.57, -1.5, 0.0, 0.0, 0.0], wait=False)
        arm.set_speed(0.3)
        print(arm.cancel().reason)
        arm.set_speed(1.0)


if __name__ == '__main__':
    main()
