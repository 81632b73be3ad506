"""The hot loops, compiled with numba, on the arrays of a `RobotModel`. Nothing else imports numba.

Every kernel has an explicit signature and is cached on disk: it is compiled once, when it is first
imported, never inside a control cycle. Kernels return False (or a negative number) for non-finite
input and leave the wording of errors to the rooms that call them.
"""
