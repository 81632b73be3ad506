"""The web viewer: the robot in three dimensions in a browser. Free of ROS."""
