"""A service that is called often, kept out of the executor.

An executor of rclpy makes a coroutine and a task of every request, and visits other entities first. A `HotService` has
a thread that waits for its requests alone, with the low-level wait set and take calls that rclpy's executors use.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from typing import Any

from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy
from rclpy.node import Node
from rclpy.qos import qos_profile_services_default
from rclpy.type_support import check_for_type_support

IDLE_PERIOD_NS = 200_000_000
"""Longest wait [ns] before the thread looks whether it should end."""


class HotService:
    """Serves one service from a thread of its own until `end`; `callback` fills and returns the response."""

    def __init__(self, node: Node, kind: Any, name: str, callback: Callable[[Any, Any], Any]) -> None:
        self._node, self._kind, self._callback = node, kind, callback
        check_for_type_support(kind)
        with node.handle:
            self._handle = _rclpy.Service(node.handle, kind, name, qos_profile_services_default.get_c_qos_profile())
        self._serving = True
        self._blank = kind.Response()
        self._thread = threading.Thread(target=self._serve, name=name, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Answer no more; returns when the service is gone."""
        self._serving = False
        self._thread.join()
        self._handle.destroy_when_not_in_use()

    def _serve(self) -> None:
        with self._node.context.handle:
            waiter = _rclpy.WaitSet(0, 0, 0, 0, 1, 0, self._node.context.handle)
        with self._handle:
            while self._serving:
                waiter.clear_entities()
                waiter.add_service(self._handle)
                waiter.wait(IDLE_PERIOD_NS)
                self._answer_all()

    def _answer_all(self) -> None:
        """Answer the requests that are there; the next response is made while nobody waits for it."""
        request, header = self._handle.service_take_request(self._kind.Request)
        while request is not None:
            try:
                self._handle.service_send_response(self._callback(request, self._blank), header.request_id)
            except Exception as error:  # noqa: BLE001  (one bad request must not end the service)
                self._node.get_logger().error(f'A request failed: {error!r}\n{traceback.format_exc()}')
            self._blank = self._kind.Response()
            request, header = self._handle.service_take_request(self._kind.Request)
