/* Call of a compiled kernel straight from Python: checks, result array and call in one step.
 *
 * A `DirectCall` binds the C function of a kernel to the arrays of one model. Calling it with arrays (joint vectors, a
 * pose) returns the result, or None when an argument is not a plain array of doubles of the right shape, or when the
 * kernel says so (NaN, no inertia): the caller then takes the general way, which explains what is wrong.
 */
#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <Python.h>
#include <stddef.h>
#include <numpy/arrayobject.h>

#define MOST_INPUTS 3
#define MOST_DIMENSIONS 2

typedef long long (*kernel_t)(const npy_int64 *topology, const double *constants, const double *setting, double *work,
                              npy_int64 bodies, npy_int64 dof, const double *a, const double *b, const double *c,
                              double *out);

typedef struct {
    int dimensions;
    npy_intp size[MOST_DIMENSIONS];
} form_t;

typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
    kernel_t kernel;
    PyArrayObject *topology, *constants, *setting, *work;
    npy_intp bodies, dof;
    int inputs;
    form_t form[MOST_INPUTS], result;
} DirectCall;

/* A form from a tuple of one or two sizes; 0 if it is none. */
static int read_form(PyObject *sizes, form_t *form)
{
    if (!PyTuple_Check(sizes))
        return 0;
    Py_ssize_t dimensions = PyTuple_GET_SIZE(sizes);
    if (dimensions < 1 || dimensions > MOST_DIMENSIONS)
        return 0;
    form->dimensions = (int)dimensions;
    for (Py_ssize_t i = 0; i < dimensions; i++) {
        form->size[i] = PyLong_AsSsize_t(PyTuple_GET_ITEM(sizes, i));
        if (form->size[i] < 0)
            return 0;
    }
    return 1;
}

static int has_form(PyArrayObject *array, const form_t *form)
{
    if (PyArray_TYPE(array) != NPY_DOUBLE || PyArray_NDIM(array) != form->dimensions || !PyArray_ISCARRAY_RO(array))
        return 0;
    for (int i = 0; i < form->dimensions; i++)
        if (PyArray_DIM(array, i) != form->size[i])
            return 0;
    return 1;
}

static PyObject *direct_call(PyObject *object, PyObject *const *arguments, size_t flags, PyObject *names)
{
    DirectCall *self = (DirectCall *)object;
    const double *inputs[MOST_INPUTS] = {NULL, NULL, NULL};
    if (PyVectorcall_NARGS(flags) != self->inputs || names != NULL)
        return PyErr_Format(PyExc_TypeError, "this call takes %d arrays and nothing else", self->inputs);
    for (int i = 0; i < self->inputs; i++) {
        if (!PyArray_CheckExact(arguments[i]) || !has_form((PyArrayObject *)arguments[i], &self->form[i]))
            Py_RETURN_NONE;
        inputs[i] = PyArray_DATA((PyArrayObject *)arguments[i]);
    }
    PyObject *out = PyArray_SimpleNew(self->result.dimensions, self->result.size, NPY_DOUBLE);
    if (out == NULL)
        return NULL;
    long long code = self->kernel(PyArray_DATA(self->topology), PyArray_DATA(self->constants),
                                  PyArray_DATA(self->setting), PyArray_DATA(self->work), self->bodies, self->dof,
                                  inputs[0], inputs[1], inputs[2], PyArray_DATA((PyArrayObject *)out));
    if (code == 0)
        return out;
    Py_DECREF(out);
    Py_RETURN_NONE;
}

static int is_plain(PyArrayObject *array, int type)
{
    return PyArray_TYPE(array) == type && PyArray_ISCARRAY_RO(array);
}

static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
    unsigned long long address;
    PyArrayObject *topology, *constants, *setting, *work;
    Py_ssize_t bodies, dof;
    PyObject *forms, *shape;
    form_t form[MOST_INPUTS], result;
    if (names != NULL && PyDict_GET_SIZE(names) != 0) {
        PyErr_SetString(PyExc_TypeError, "DirectCall takes no keywords");
        return NULL;
    }
    if (!PyArg_ParseTuple(arguments, "KO!O!O!O!nnO!O!", &address, &PyArray_Type, &topology, &PyArray_Type, &constants,
                          &PyArray_Type, &setting, &PyArray_Type, &work, &bodies, &dof, &PyTuple_Type, &forms,
                          &PyTuple_Type, &shape))
        return NULL;
    Py_ssize_t inputs = PyTuple_GET_SIZE(forms);
    int usable = address != 0 && inputs >= 1 && inputs <= MOST_INPUTS && read_form(shape, &result)
                 && is_plain(topology, NPY_INT64) && is_plain(constants, NPY_DOUBLE) && is_plain(setting, NPY_DOUBLE)
                 && is_plain(work, NPY_DOUBLE) && PyArray_ISWRITEABLE(work);
    for (Py_ssize_t i = 0; usable && i < inputs; i++)
        usable = read_form(PyTuple_GET_ITEM(forms, i), &form[i]);
    if (!usable) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "DirectCall: an address, int64 topology, three contiguous arrays of "
                                              "doubles (the last writeable), 1 to 3 shapes of inputs and the shape of "
                                              "the result, each of 1 or 2 numbers that are not negative");
        return NULL;
    }
    DirectCall *self = (DirectCall *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->call = direct_call;
    self->kernel = (kernel_t)(size_t)address;
    self->bodies = bodies;
    self->dof = dof;
    self->inputs = (int)inputs;
    self->result = result;
    for (Py_ssize_t i = 0; i < inputs; i++)
        self->form[i] = form[i];
    Py_INCREF(topology);
    Py_INCREF(constants);
    Py_INCREF(setting);
    Py_INCREF(work);
    self->topology = topology;
    self->constants = constants;
    self->setting = setting;
    self->work = work;
    return (PyObject *)self;
}

static void destroy(PyObject *object)
{
    DirectCall *self = (DirectCall *)object;
    Py_XDECREF(self->topology);
    Py_XDECREF(self->constants);
    Py_XDECREF(self->setting);
    Py_XDECREF(self->work);
    Py_TYPE(object)->tp_free(object);
}

static PyTypeObject direct_call_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "robokin_ros.kernels.direct_call.DirectCall",
    .tp_doc = "DirectCall(address, topology, constants, setting, work, bodies, dof, forms, shape)",
    .tp_basicsize = sizeof(DirectCall),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_new = create,
    .tp_dealloc = destroy,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(DirectCall, call),
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, .m_name = "direct_call", .m_doc = "Calls of compiled kernels straight from Python.",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit_direct_call(void)
{
    import_array();
    if (PyType_Ready(&direct_call_type) < 0)
        return NULL;
    PyObject *made = PyModule_Create(&module);
    if (made != NULL && PyModule_AddObjectRef(made, "DirectCall", (PyObject *)&direct_call_type) < 0)
        Py_CLEAR(made);
    return made;
}
