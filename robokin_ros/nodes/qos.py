"""Quality of service of every topic, in one place."""

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

DESCRIPTION = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
LATCHED_STATE = DESCRIPTION
JOINT_STATES_PUBLISHED = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
JOINT_STATES_READ = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
COMMANDS = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
REFERENCES = COMMANDS
STATE = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
TF = QoSProfile(depth=100, reliability=ReliabilityPolicy.RELIABLE)
TF_STATIC = DESCRIPTION
TF_STATIC_READ = QoSProfile(
    depth=100, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)
MARKERS = DESCRIPTION
