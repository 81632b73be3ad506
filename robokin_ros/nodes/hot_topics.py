"""Topics that arrive hundreds of times a second, kept out of the executor.

An executor of rclpy visits every entity of a node for each message, which costs more than a control update. A
`PolledTopic` is only read when asked; a `HotTopics` thread waits for its topics alone. Both use the low-level wait
set and take calls that rclpy's own `wait_for_message` uses.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy
from rclpy.node import Node
from rclpy.qos import QoSProfile

IDLE_PERIOD_NS = 200_000_000
"""Longest wait [ns] before a thread looks whether it should end."""


class _OutsideExecutor(CallbackGroup):
    """Entities that no executor serves."""

    def can_execute(self, entity: Any) -> bool:
        return False

    def beginning_execution(self, entity: Any) -> bool:
        return False

    def ending_execution(self, entity: Any) -> None:
        return None


class PolledTopic:
    """The newest message of a topic, read when asked."""

    def __init__(self, node: Node, kind: Any, topic: str, profile: QoSProfile) -> None:
        self._node = node
        self.subscription = node.create_subscription(kind, topic, _nothing, profile, callback_group=_OutsideExecutor())
        self._kind = kind

    def take(self) -> Any | None:
        """Newest message since the last call, or None."""
        return self.take_with_arrival()[0]

    def take_with_arrival(self) -> tuple[Any | None, float]:
        """Newest message since the last call and when it arrived [s, system clock], or (None, 0)."""
        message, arrival = None, 0.0
        with self.subscription.handle:
            taken = self.subscription.handle.take_message(self._kind, False)
            while taken is not None:
                message, arrival = taken[0], taken[1]['received_timestamp'] * 1e-9
                taken = self.subscription.handle.take_message(self._kind, False)
        return message, arrival


class HotTopics:
    """A thread that calls back for each message of a few topics, in the order of their registration."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._topics: list[tuple[PolledTopic, Callable[[Any], None]]] = []
        self._thread: threading.Thread | None = None
        self._running = False

    def subscribe(self, kind: Any, topic: str, callback: Callable[[Any], None], profile: QoSProfile) -> None:
        """Add a topic; before `start`."""
        self._topics.append((PolledTopic(self._node, kind, topic, profile), callback))

    def start(self) -> None:
        """Begin to listen."""
        self._running = True
        self._thread = threading.Thread(target=self._listen, name='hot topics', daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop listening; returns when no callback runs any more."""
        self._running = False
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _listen(self) -> None:
        handles = [topic.subscription.handle for topic, _ in self._topics]
        with self._node.context.handle:
            waiter = _rclpy.WaitSet(len(handles), 0, 0, 0, 0, 0, self._node.context.handle)
        while self._running:
            waiter.clear_entities()
            for handle in handles:
                waiter.add_subscription(handle)
            waiter.wait(IDLE_PERIOD_NS)
            for topic, callback in self._topics:
                message = topic.take()
                if message is not None and self._running:
                    callback(message)


def _nothing(message: Any) -> None:
    """A subscription needs a callback; this one is never called."""
