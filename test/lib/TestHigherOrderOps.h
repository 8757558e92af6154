//===- TestHigherOrderOps.h - A dialect of somebody else --------*- C++ -*-===//

#ifndef TALLY_TEST_LIB_TESTHIGHERORDEROPS_H
#define TALLY_TEST_LIB_TESTHIGHERORDEROPS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace test_hop {

/// Adds the dialect, with Tally's interfaces on its operations.
void registerTestHigherOrderDialect(mlir::DialectRegistry &registry);

} // namespace test_hop

#endif // TALLY_TEST_LIB_TESTHIGHERORDEROPS_H
