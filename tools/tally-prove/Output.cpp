//===- Output.cpp - How answers are printed -------------------------------===//
//
// Text for people, JSON for machines.
//
//===----------------------------------------------------------------------===//

#include "Output.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Unicode.h"

#include <algorithm>

using namespace tally;
using namespace tally::prove;

/// Characters of a message that are printed; a name may be of any length.
static constexpr size_t kMaxMessage = 300;

/// The bytes of the character that a text begins with; 0 if it is none that can
/// be printed.
static size_t countPrintable(llvm::StringRef text) {
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.begin());
  const auto *end = reinterpret_cast<const llvm::UTF8 *>(text.end());
  const llvm::UTF8 *after = begin;
  llvm::UTF32 character;
  if (llvm::convertUTF8Sequence(&after, end, &character,
                                llvm::strictConversion) != llvm::conversionOK ||
      !llvm::sys::unicode::isPrintable(character))
    return 0;
  return after - begin;
}

void prove::printFailure(llvm::raw_ostream &os, llvm::StringRef kind,
                         unsigned line, const Failure &failure) {
  os << kind << ' ' << line << ':' << failure.offset + 1 << ' ';
  llvm::StringRef message(failure.message);
  message = message.take_front(kMaxMessage);
  while (!message.empty()) {
    size_t length = countPrintable(message);
    if (length == 0)
      os << llvm::format("\\x%02x", static_cast<unsigned char>(message[0]));
    os << message.take_front(length);
    message = message.drop_front(std::max<size_t>(length, 1));
  }
  os << (failure.message.size() > kMaxMessage ? "...\n" : "\n");
}

void prove::printText(llvm::raw_ostream &os, const Outcome &outcome,
                      bool explain) {
  if (outcome.failure)
    return printFailure(os, "error", outcome.line, *outcome.failure);
  os << outcome.answer;
  if (explain) {
    os << '\t' << outcome.rung << "; ";
    if (!outcome.doubt.empty())
      os << outcome.doubt;
    else if (outcome.reasons.empty())
      os << "no facts";
    llvm::interleaveComma(outcome.reasons, os, [&](const Reason &reason) {
      os << "line " << reason.line << ": " << reason.text;
    });
    os << llvm::format("; %.1f us", outcome.microseconds);
  }
  os << '\n';
}

void prove::printJSON(llvm::raw_ostream &os, const Outcome &outcome) {
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("line", outcome.line);
    if (outcome.failure) {
      json.attribute("column", outcome.failure->offset + 1);
      json.attribute("error", llvm::json::fixUTF8(outcome.failure->message));
    } else {
      json.attribute("answer", outcome.answer);
      json.attribute("rung", outcome.rung);
      if (!outcome.doubt.empty())
        json.attribute("reason", outcome.doubt);
      json.attributeArray("facts", [&] {
        for (const Reason &reason : outcome.reasons)
          json.object([&] {
            json.attribute("line", reason.line);
            json.attribute("text", llvm::json::fixUTF8(reason.text));
          });
      });
    }
    json.attributeBegin("microseconds");
    json.rawValue([&](llvm::raw_ostream &raw) {
      raw << llvm::format("%.3f", outcome.microseconds);
    });
    json.attributeEnd();
  });
  os << '\n';
}

/// Has the solver print a text.
static void printEcho(llvm::raw_ostream &os, llvm::StringRef text) {
  os << "(echo \"";
  for (char c : text)
    os << (c == '"' ? '\'' : c);
  os << "\")\n";
}

void prove::printSMT(llvm::raw_ostream &os, const Outcome &outcome,
                     Session &session) {
  std::string text;
  llvm::raw_string_ostream line(text);
  if (outcome.failure) {
    printFailure(line, "error", outcome.line, *outcome.failure);
    return printEcho(os, llvm::StringRef(text).rtrim());
  }
  if (!outcome.claim)
    return printEcho(os, "line " + std::to_string(outcome.line) +
                             " has no question for a solver");
  Claim claim = *outcome.claim;
  if (outcome.keyword == Keyword::Prove || outcome.keyword == Keyword::Equal)
    claim.kind = symbolic::SMTClaim::True;
  symbolic::SMTScript script = session.makeScript(claim);
  if (!script.hasQuery)
    return printEcho(os, "line " + std::to_string(outcome.line) + ": " +
                             script.unsupported);
  os << "(reset)\n; line " << outcome.line << ": " << claim.query << '\n';
  if (!script.isComplete())
    os << "; incomplete: " << script.unsupported << '\n';
  os << script.text << "(check-sat)\n";
}

//===----------------------------------------------------------------------===//
// Summary
//===----------------------------------------------------------------------===//

/// The answer of a question about truth, the kind of any other.
static std::string classify(const Outcome &outcome) {
  if (outcome.failure)
    return "error";
  if (outcome.keyword == Keyword::Prove || outcome.keyword == Keyword::Equal)
    return outcome.answer;
  return "other";
}

void Summary::add(const Outcome &outcome) {
  ++answers[classify(outcome)];
  if (!outcome.failure)
    ++rungs[outcome.rung];
  times.push_back(outcome.microseconds);
}

static void printCounts(llvm::raw_ostream &os,
                        const std::map<std::string, unsigned> &counts) {
  llvm::interleaveComma(counts, os, [&](const auto &entry) {
    os << entry.second << ' ' << entry.first;
  });
  os << '\n';
}

void Summary::print(llvm::raw_ostream &os) {
  os << times.size() << " queries\nanswers: ";
  printCounts(os, answers);
  os << "rungs: ";
  printCounts(os, rungs);
  if (times.empty())
    return;
  llvm::sort(times);
  os << llvm::format("time: median %.1f us, 99th percentile %.1f us, most "
                     "%.1f us\n",
                     times[times.size() / 2], times[times.size() * 99 / 100],
                     times.back());
}
