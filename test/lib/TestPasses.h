//===- TestPasses.h - Passes of tally-test-opt ------------------*- C++ -*-===//

#ifndef TALLY_TEST_LIB_TESTPASSES_H
#define TALLY_TEST_LIB_TESTPASSES_H

namespace test_hop {
void registerTestPasses();
} // namespace test_hop

namespace tally::test {
void registerTestAliasChains();
void registerTestElementRanges();
void registerTestInterfaces();
void registerTestIrredundantAsserts();
void registerTestPassContract();
} // namespace tally::test

#endif // TALLY_TEST_LIB_TESTPASSES_H
