"""Node parameters from one YAML file per node: type, default, description, range, read-only flag.

The files lie in `nodes/parameters/`; they are the reference documentation of the parameters too.
"""

from __future__ import annotations

from importlib import resources
from typing import Any

import yaml
from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    ParameterType,
    SetParametersResult,
)
from rclpy.node import Node
from rclpy.parameter import Parameter

TYPES = {
    'bool': ParameterType.PARAMETER_BOOL, 'int': ParameterType.PARAMETER_INTEGER,
    'double': ParameterType.PARAMETER_DOUBLE, 'string': ParameterType.PARAMETER_STRING,
    'double_array': ParameterType.PARAMETER_DOUBLE_ARRAY, 'string_array': ParameterType.PARAMETER_STRING_ARRAY,
}


def parameter_table(node: str) -> dict[str, dict[str, Any]]:
    """Description of the parameters of a node, those common to all nodes first."""
    folder = resources.files('robokin_ros.nodes') / 'parameters'
    table: dict[str, dict[str, Any]] = yaml.safe_load((folder / 'common.yaml').read_text(encoding='utf-8'))
    table.update(yaml.safe_load((folder / f'{node}.yaml').read_text(encoding='utf-8')) or {})
    return table


class Settings:
    """Current parameter values as attributes: `settings.rate`. Kept up to date without look-ups in callbacks."""

    def __init__(self, node: Node, table_name: str) -> None:
        self._table = parameter_table(table_name)
        for name, entry in self._table.items():
            node.declare_parameter(name, entry['default'], _descriptor(entry))
        for name in self._table:
            setattr(self, name, node.get_parameter(name).value)
        node.add_on_set_parameters_callback(self._check)
        node.add_post_set_parameters_callback(self._take)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f'There is no parameter {name}.')

    def _check(self, parameters: list[Parameter]) -> SetParametersResult:
        for parameter in parameters:
            choices = self._table.get(parameter.name, {}).get('one_of')
            if choices and parameter.value not in choices:
                return SetParametersResult(successful=False, reason=(
                    f"{parameter.name} is '{parameter.value}'; it must be one of {', '.join(choices)}."))
        return SetParametersResult(successful=True)

    def _take(self, parameters: list[Parameter]) -> None:
        for parameter in parameters:
            if parameter.name in self._table:
                setattr(self, parameter.name, parameter.value)


def _descriptor(entry: dict[str, Any]) -> ParameterDescriptor:
    descriptor = ParameterDescriptor(type=TYPES[entry['type']], description=entry['description'],
                                     read_only=entry.get('read_only', False))
    if 'one_of' in entry:
        descriptor.additional_constraints = 'One of: ' + ', '.join(entry['one_of'])
    if 'range' in entry:
        low, high = entry['range']
        if entry['type'] == 'int':
            descriptor.integer_range = [IntegerRange(from_value=low, to_value=high)]
        else:
            descriptor.floating_point_range = [FloatingPointRange(from_value=float(low), to_value=float(high))]
    return descriptor
