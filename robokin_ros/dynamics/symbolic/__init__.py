"""Equations of motion as formulas, for small arms; needs sympy when they are written out."""

from robokin_ros.dynamics.symbolic.equations import Equations, equations_of_motion

__all__ = ['Equations', 'equations_of_motion']
