"""Single calls through the extension module: what it takes, what it leaves to the general way, and no leaks."""

import copy
import pickle
import sys
import tracemalloc

import numpy as np
import pytest
from support.robots import arm

from robokin_ros.errors import InputError
from robokin_ros.kernels import direct
from robokin_ros.kernels.packed_chain import pose_call
from robokin_ros.kinematics import forward_kinematics, jacobian

MODEL = arm('puma560')
Q = np.linspace(-0.7, 0.8, MODEL.dof)


@pytest.fixture(scope='module')
def call():
    assert direct.DirectCall is not None, 'the extension module was not built'
    return pose_call(MODEL)


def strided():
    return np.repeat(Q, 2)[::2]


def misaligned():
    return np.frombuffer(b'x' + Q.tobytes(), dtype=np.uint8)[1:].view(np.float64)


@pytest.mark.parametrize('other', [Q.tolist(), Q.astype('f4'), Q.astype('>f8'), strided(), misaligned(), Q[None],
                                   Q.view(np.recarray)], ids=['list', 'float32', 'swapped', 'strided', 'misaligned',
                                                              '2-D', 'subclass'])
def test_what_is_no_plain_vector_takes_the_general_way(call, other):
    assert call(other) is None
    np.testing.assert_allclose(np.squeeze(forward_kinematics(MODEL, np.asarray(other))), call(Q), atol=1e-6)


@pytest.mark.parametrize('bad', [Q[:-1], np.append(Q, 0.0), np.full(6, np.nan), np.full(6, np.inf), np.zeros(0)])
@pytest.mark.parametrize('function', [forward_kinematics, jacobian])
def test_bad_vectors_are_refused_with_a_sentence(call, function, bad):
    assert call(bad) is None
    with pytest.raises(InputError):
        function(MODEL, bad)


def test_wrong_number_of_arguments(call):
    for arguments in ((), (Q, Q)):
        with pytest.raises(TypeError, match='1 arrays'):
            call(*arguments)
    with pytest.raises(TypeError):
        call(q=Q)


def test_without_the_extension_results_are_the_same(monkeypatch):
    with_it = forward_kinematics(MODEL, Q), jacobian(MODEL, Q)
    monkeypatch.setattr(direct, 'DirectCall', None)
    bare = copy.copy(MODEL)
    assert not bare.calls
    np.testing.assert_allclose(forward_kinematics(bare, Q), with_it[0], rtol=0.0, atol=1e-15)
    np.testing.assert_allclose(jacobian(bare, Q), with_it[1], rtol=0.0, atol=1e-15)


def test_models_with_calls_can_be_copied_and_pickled():
    forward_kinematics(MODEL, Q)
    for other in (copy.deepcopy(MODEL), pickle.loads(pickle.dumps(MODEL))):
        np.testing.assert_array_equal(forward_kinematics(other, Q), forward_kinematics(MODEL, Q))
        assert not other.constants.flags.writeable


def test_calls_leave_nothing_behind(call):
    references = sys.getrefcount(Q), sys.getrefcount(None)
    tracemalloc.start()
    try:
        call(Q)
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(100_000):
            call(Q)
            call(Q[:-1])
        assert tracemalloc.get_traced_memory()[0] - before < 2000
    finally:
        tracemalloc.stop()
    assert sys.getrefcount(Q) == references[0]
    assert abs(sys.getrefcount(None) - references[1]) < 1000


def test_a_binding_outlives_its_model():
    other = copy.deepcopy(MODEL)
    bound = pose_call(other)
    del other
    np.testing.assert_array_equal(bound(Q), forward_kinematics(MODEL, Q))


@pytest.mark.parametrize(('change', 'value'), [(0, 0), (1, np.zeros((1, 3))), (2, np.zeros(3, dtype=np.float32)),
                                               (4, MODEL.lower), (7, 4 * ((6,),)), (7, (6,)), (7, ((6, 6, 6),)),
                                               (8, ()), (8, (1, 2, 3)), (8, (-1,))])
def test_bindings_that_make_no_sense_are_refused(call, change, value):
    arguments = [1, np.zeros((0, 3), dtype=np.int64), np.zeros(3), np.zeros(0), np.zeros(0), 0, 6, ((6,),), (4, 4)]
    arguments[change] = value
    with pytest.raises(ValueError, match='DirectCall'):
        direct.DirectCall(*arguments)
