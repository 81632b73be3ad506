// Loops over Pinocchio in C++, as a shared library for ctypes: what our batches are measured by.
//
// Headers only, no template instantiation of the wheel's library: with -march=native Eigen's alignment differs from the
// wheel's, so that its compiled code must not touch our objects. The model comes as text of Pinocchio's serialization.
// Nothing is allocated inside the loops: model and data are made once, rows are mapped where they lie.
// aba and crba run in the convention LOCAL, the default and the faster one.

#include <pinocchio/multibody.hpp>
#include <pinocchio/serialization.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>

namespace pin = pinocchio;
using Row = Eigen::Map<const Eigen::VectorXd>;
using Out = Eigen::Map<Eigen::VectorXd>;
using OutMatrix = Eigen::Map<Eigen::MatrixXd>;

struct Robot {
  pin::Model model;
  pin::Data data;
  explicit Robot(const pin::Model &m) : model(m), data(m) {}
};

extern "C" {

void *make(const char *path) {
  pin::Model model;
  model.loadFromText(path);
  return new Robot(model);
}

void rnea(void *robot, long count, const double *q, const double *v, const double *a, double *out) {
  Robot &r = *static_cast<Robot *>(robot);
  const long n = r.model.nv;
  for (long i = 0; i < count; ++i)
    Out(out + n * i, n) = pin::rnea(r.model, r.data, Row(q + n * i, n), Row(v + n * i, n), Row(a + n * i, n));
}

void gravity(void *robot, long count, const double *q, double *out) {
  Robot &r = *static_cast<Robot *>(robot);
  const long n = r.model.nv;
  for (long i = 0; i < count; ++i)
    Out(out + n * i, n) = pin::computeGeneralizedGravity(r.model, r.data, Row(q + n * i, n));
}

void aba(void *robot, long count, const double *q, const double *v, const double *tau, double *out) {
  Robot &r = *static_cast<Robot *>(robot);
  const long n = r.model.nv;
  for (long i = 0; i < count; ++i)
    Out(out + n * i, n) = pin::aba(r.model, r.data, Row(q + n * i, n), Row(v + n * i, n), Row(tau + n * i, n));
}

// Only the upper triangle (column-major), as Pinocchio leaves it.
void crba(void *robot, long count, const double *q, double *out) {
  Robot &r = *static_cast<Robot *>(robot);
  const long n = r.model.nv;
  for (long i = 0; i < count; ++i)
    OutMatrix(out + n * n * i, n, n) = pin::crba(r.model, r.data, Row(q + n * i, n));
}
}
