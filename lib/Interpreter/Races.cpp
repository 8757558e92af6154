//===- Races.cpp - Accesses that nothing orders ---------------------------===//

#include "Races.h"

using namespace tally::interpreter;

/// Whether nothing orders two accesses of a launch: neither that one thread
/// does both, nor a barrier of the block of both.
static bool areUnordered(const Access &a, const Access &b) {
  if (!a.op || a.launch != b.launch)
    return false;
  return a.block != b.block || (a.phase == b.phase && a.thread != b.thread);
}

// Of three threads, an access is unordered with those of two others.
void AccessLog::Accesses::note(const Access &access) {
  if (last.op && last.launch == access.launch) {
    if (last.block != access.block)
      otherBlock = last;
    else if (last.thread != access.thread)
      otherThread = last;
  }
  last = access;
}

std::optional<Access>
AccessLog::Accesses::findUnordered(const Access &access) const {
  for (const Access &earlier : {last, otherThread, otherBlock})
    if (areUnordered(earlier, access))
      return earlier;
  return std::nullopt;
}

std::optional<Access> AccessLog::note(int64_t position, AccessKind kind,
                                      const Access &access) {
  Element &element = elements[position];
  std::optional<Access> found = element.writes.findUnordered(access);
  if (!found && kind != AccessKind::Read)
    found = element.reads.findUnordered(access);
  if (!found && kind != AccessKind::Atomic)
    found = element.atomics.findUnordered(access);
  (kind == AccessKind::Read    ? element.reads
   : kind == AccessKind::Write ? element.writes
                               : element.atomics)
      .note(access);
  return found;
}
