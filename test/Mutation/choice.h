//===- choice.h - Is this the mutation that is tried? -----------*- C++ -*-===//
//
// What mutations.py writes into a source asks here. TALLY_MUTANT is the number
// of the mutation that is tried; a byte of the file TALLY_MUTANTS_REACHED,
// which is long enough, is set for each that is asked about.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_TEST_MUTATION_CHOICE_H
#define TALLY_TEST_MUTATION_CHOICE_H

// Code that is mutated has warnings.
#pragma clang diagnostic ignored "-Weverything"

#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tally_mutation {

struct Choice {
  long number = -1;
  unsigned char *reached = nullptr;

  Choice() {
    if (const char *text = std::getenv("TALLY_MUTANT"))
      number = std::atol(text);
    const char *path = std::getenv("TALLY_MUTANTS_REACHED");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    struct stat status;
    if (file < 0)
      return;
    if (fstat(file, &status) == 0) {
      void *memory = mmap(nullptr, status.st_size, PROT_READ | PROT_WRITE,
                          MAP_SHARED, file, 0);
      if (memory != MAP_FAILED)
        reached = static_cast<unsigned char *>(memory);
    }
    close(file);
  }
};

inline bool isTried(long number) {
  static const Choice choice;
  if (choice.reached)
    choice.reached[number] = 1;
  return choice.number == number;
}

} // namespace tally_mutation

#define TALLY_MUTANT(number) (::tally_mutation::isTried(number))

#endif // TALLY_TEST_MUTATION_CHOICE_H
