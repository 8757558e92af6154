//===- TestPasses.h - Passes for tests of the public API --------*- C++ -*-===//

#ifndef TALLY_TEST_LIB_TESTPASSES_H
#define TALLY_TEST_LIB_TESTPASSES_H

namespace test_hop {
void registerTestPasses();
} // namespace test_hop

#endif // TALLY_TEST_LIB_TESTPASSES_H
