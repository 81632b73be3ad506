"""The ROS 2 nodes: thin shells around the library. The only room that imports rclpy, with `client`."""
