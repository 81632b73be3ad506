"""Use a running suite (`robokin up`) with nothing but rclpy: inverse kinematics, a trajectory, gravity compensation.

    ./robokin up --robot puma560        # in one shell
    . .robokin/environment.sh && python examples/from_plain_rclpy.py        # in another
"""

import numpy as np
import rclpy
from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionClient
from robokin_interfaces.msg import ErrorCode
from robokin_interfaces.srv import ComputeIK, SetControlMode
from trajectory_msgs.msg import JointTrajectoryPoint


def main() -> None:
    """Ask, move, float."""
    rclpy.init()
    node = rclpy.create_node('plain_rclpy')

    def wait(future):
        rclpy.spin_until_future_complete(node, future, timeout_sec=30.0)
        return future.result()

    inverse = node.create_client(ComputeIK, 'compute_ik')
    inverse.wait_for_service(30.0)
    request = ComputeIK.Request(all_solutions=True)
    position, orientation = request.pose.pose.position, request.pose.pose.orientation
    position.x, position.y, position.z = 0.45, 0.15, 0.10
    orientation.x, orientation.w = 1.0, 0.0  # the hand points down
    answer = wait(inverse.call_async(request))
    if answer.error_code.val != ErrorCode.SUCCESS:
        raise SystemExit(f'No solution: {answer.message}')
    solutions = np.reshape(answer.positions, (-1, len(answer.joint_names)))
    print(f'{len(solutions)} solutions; nearest: {np.round(solutions[0], 3).tolist()}')

    follow = ActionClient(node, FollowJointTrajectory, 'follow_joint_trajectory')
    follow.wait_for_server(30.0)
    goal = FollowJointTrajectory.Goal()
    goal.trajectory.joint_names = answer.joint_names
    point = JointTrajectoryPoint(positions=solutions[0].tolist(), velocities=[0.0] * len(answer.joint_names))
    point.time_from_start.sec = 4
    goal.trajectory.points = [point]
    result = wait(wait(follow.send_goal_async(goal)).get_result_async())
    if result.status != GoalStatus.STATUS_SUCCEEDED:
        raise SystemExit(f'Not moved: {result.result.error_string}')
    print('Moved.')

    mode = node.create_client(SetControlMode, 'set_control_mode')
    mode.wait_for_service(30.0)
    answer = wait(mode.call_async(SetControlMode.Request(mode=SetControlMode.Request.GRAVITY_COMPENSATION)))
    print(f'The arm floats now (it was in {answer.previous_mode}).')
    rclpy.shutdown()


if __name__ == '__main__':
    main()
