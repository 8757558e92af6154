//===- tally-prove.cpp - Answers questions about symbolic sizes -----------===//
//
// Reads declarations, facts and queries, one a line (Statements.h has the
// grammar), and prints one line for each query. Exit status: 0 if every line
// could be read, 1 otherwise or after bad use.
//
//===----------------------------------------------------------------------===//

#include "../ToolVersion.h"
#include "../Usage.h"
#include "Output.h"
#include "Validation.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace llvm;
using namespace tally;
using namespace tally::prove;

static cl::OptionCategory category("tally-prove options");

static cl::opt<std::string> file(cl::Positional, cl::desc("FILE | -"),
                                 cl::cat(category));
static cl::opt<bool>
    explain("explain",
            cl::desc("Append to each answer, after a TAB, what found it, the "
                     "facts it relies on (why, if it is unknown), and the time "
                     "it took, reading the line included (default: off)"),
            cl::cat(category));
static cl::opt<bool>
    json("json", cl::desc("Print a JSON object for each query (default: text)"),
         cl::cat(category));
static cl::opt<bool>
    summary("summary",
            cl::desc("Print counts of answers and times on standard error "
                     "(default: off)"),
            cl::cat(category));

static cl::opt<bool>
    smt2("smt2",
         cl::desc("Print each query as a script in SMT-LIB 2 instead, for "
                  "`z3 -in`: unsat means that it is true, or that the answer "
                  "is right if it is no question of truth (default: off)"),
         cl::cat(category));
static cl::opt<bool>
    useZ3("z3",
          cl::desc("Ask Z3 what is unknown without it (default: "
                   "off)"),
          cl::cat(category));
static cl::opt<bool>
    validate("validate",
             cl::desc("Have Z3 confirm each answer; what it refutes is printed "
                      "on standard error, and the exit status is 2 "
                      "(default: off)"),
             cl::cat(category));
static cl::opt<unsigned>
    z3Timeout("z3-timeout",
              cl::desc("Milliseconds for each question to Z3 (default: 2000)"),
              cl::init(2000), cl::cat(category));

static cl::extrahelp grammar(R"(
One statement a line; // starts a comment:

  symbol n in [0, 4096] divisible by 8   an integer; without a range at least 0
  int k in [-inf, 5]                     an integer; without a range any;
                                         (-inf, 6) is the same, ( and ) leave
                                         out the end
  float f    bool b                      several names: symbol a, b in [1, 8]
  fact n == 2 * m                        true, and so defined, from here on
  push    pop    reset                   pop forgets what was stated and
                                         declared since push; reset, everything

Each query prints one line, its answer or `error LINE:COLUMN why`:

  prove 2 * (n floordiv 2) <= n          yes, no: for every assignment that fits
                                         the facts; unknown; contradiction: no
                                         assignment fits
  equal (a + b) ** 2, a*a + 2*a*b + b*b  as prove
  simplify (16 * n) mod 16               an expression
  range max(n, 3) - 1                    [lo, hi]; of a boolean within [0, 1]
  divisors 6 * n + 4                     the largest number known to divide it,
                                         0 if it is always 0
  solve s0 from d0 == 2 * s0             s0 = d0 floordiv 2 requires ...
  eval max(n, 3) with n = 2, b = true    a value or `undefined (why)`; computes
                                         as written, in 64 bits; asks no facts
                                         and no ranges

Where no assignment fits the facts, range, divisors and solve say contradiction
as well. A line with an error is skipped, except that push, pop and reset are
done; the error of a query takes the place of its answer, any other and all
warnings go to standard error.

Expressions; precedence and meaning are Python's:

  or   and   not                         lazy, from left to right
  == != < <= > >=                        chains: 0 <= i < n
  << >>   + -   * /                      / makes a float of integers
  floordiv  ceildiv  mod, or %           round down, up; the sign of the divisor
  **  pow(a, b)                          ** takes a literal exponent
  min(a, ...)  max(a, ...)  abs(a)       select(c, a, b) is a if c, else b
  exact_div(a, b)                        a / b; undefined unless b divides a
  residue(a)                             0; undefined where a is
  bitwise_and(a, b)  bitwise_or(a, b)  bitwise_xor(a, b)
  to_float(a)   floor(a)  ceil(a)  round(a)  round(a, 2)
  to_int(a), or trunc(a)                 rounds to zero
  sqrt exp log log2 sin cos tan asin acos atan sinh cosh tanh asinh (a)
  12  1.5  2e-3  true  false  inf  nan   literals

Exit status: 0 right; 1 bad use, or a line with an error; 2 Z3 refuted an
answer.
)");

namespace {

/// Reads lines of any length, with any bytes, as they come.
class LineReader {
public:
  explicit LineReader(std::FILE *stream) : stream(stream) {}
  ~LineReader() { std::free(buffer); }
  LineReader(const LineReader &) = delete;
  LineReader &operator=(const LineReader &) = delete;

  /// The next line; false at the end or after an error.
  bool next(StringRef &line) {
    ssize_t length = getline(&buffer, &capacity, stream);
    if (length < 0)
      return false;
    line = StringRef(buffer, length);
    return true;
  }

private:
  std::FILE *stream;
  char *buffer = nullptr;
  size_t capacity = 0;
};

} // namespace

static int fail(const Twine &message) {
  errs() << "tally-prove: " << message << '\n';
  return 1;
}

namespace {

/// Reads one file and prints what comes of it.
class Tool {
public:
  Tool(std::FILE *stream, std::unique_ptr<Z3Solver> z3);

  /// The exit status.
  int run();

private:
  /// Prints what a statement came to.
  void report(const Outcome &outcome);

  std::FILE *stream;
  std::unique_ptr<Z3Solver> z3;
  Session session;
  Summary counts;
  std::optional<Validation> validation;
  bool right = true;
};

} // namespace

static SessionOptions getSessionOptions(Z3Solver *z3) {
  SessionOptions options;
  options.keepsWritten = smt2 || z3;
  options.z3 = useZ3 ? z3 : nullptr;
  options.z3Milliseconds = z3Timeout;
  return options;
}

Tool::Tool(std::FILE *stream, std::unique_ptr<Z3Solver> z3)
    : stream(stream), z3(std::move(z3)),
      session(getSessionOptions(this->z3.get())) {
  if (validate)
    validation.emplace(*this->z3, z3Timeout);
}

void Tool::report(const Outcome &outcome) {
  right &= !outcome.failure;
  for (const Failure &warning : outcome.warnings)
    printFailure(errs(), "warning", outcome.line, warning);
  if (!isQuery(outcome.keyword)) {
    if (outcome.failure)
      printFailure(errs(), "error", outcome.line, *outcome.failure);
    return;
  }
  if (smt2)
    printSMT(outs(), outcome, session);
  else if (json)
    printJSON(outs(), outcome);
  else
    printText(outs(), outcome, explain);
  if (validation)
    validation->check(outcome, session);
  if (summary)
    counts.add(outcome);
}

int Tool::run() {
  LineReader reader(stream);
  StringRef text;
  for (unsigned line = 1; reader.next(text); ++line) {
    if (line == 1)
      text.consume_front("\xef\xbb\xbf");
    report(session.run(text, line));
    if (stream == stdin)
      outs().flush();
  }
  if (std::ferror(stream))
    return fail("cannot read '" + file + "': " + std::strerror(errno));
  outs().flush();
  if (summary)
    counts.print(errs());
  if (validation)
    validation->print(errs());
  if (validation && validation->hasRefuted())
    return 2;
  return right ? 0 : 1;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  tally::setVersionPrinter();
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Answers questions about symbolic sizes\n");
  if (file.getNumOccurrences() == 0)
    return reportMissing("tally-prove", "file",
                         "FILE, or - for standard input");
  if (smt2 && (json || explain))
    return fail("--smt2 prints no answers to go with --json or --explain");
  std::unique_ptr<Z3Solver> z3;
  if (useZ3 || validate) {
    std::string error;
    z3 = Z3Solver::open(error);
    if (!z3)
      return fail("there is no Z3 to ask: " + error);
  }
  if (file == "-")
    return Tool(stdin, std::move(z3)).run();
  std::FILE *stream = std::fopen(file.c_str(), "rb");
  if (!stream)
    return fail("cannot open '" + file + "': " + std::strerror(errno));
  int status = Tool(stream, std::move(z3)).run();
  std::fclose(stream);
  return status;
}
