"""A service with a thread of its own: answers, survives a failing callback, ends."""

import rclpy
from rclpy.executors import SingleThreadedExecutor
from std_srvs.srv import SetBool
from support.suite import fresh_domain

from robokin_ros.nodes.hot_service import HotService


def test_answers_survives_and_ends():
    fresh_domain()
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node('hot_server', context=context)
    asker = rclpy.create_node('asker', context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(asker)

    def answer(request, response):
        if not request.data:
            raise ValueError('not today')
        assert response.message == '', 'a response was used twice'
        response.success, response.message = True, 'yes'
        return response

    service = HotService(node, SetBool, 'hot', answer)
    client = asker.create_client(SetBool, 'hot')
    assert client.wait_for_service(10.0)

    def ask(data, seconds):
        future = client.call_async(SetBool.Request(data=data))
        executor.spin_until_future_complete(future, seconds)
        return future.result()

    for _ in range(20):
        assert ask(True, 5.0).message == 'yes'
    assert ask(False, 0.3) is None
    assert ask(True, 5.0).success
    service.end()
    assert ask(True, 0.3) is None
    executor.shutdown()
    asker.destroy_node()
    node.destroy_node()
    rclpy.shutdown(context=context)
