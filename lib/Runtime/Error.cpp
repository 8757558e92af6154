//===- Error.cpp - Errors of a call ---------------------------------------===//
//
// Reads the record of a failed assert and renders it for a person. Nothing here
// runs on a path that succeeds.
//
//===----------------------------------------------------------------------===//

#include "Error.h"

#include "CudaCall.h"
#include "Expression.h"
#include "RecordReader.h"

#include <cctype>
#include <cstring>
#include <new>

using namespace tally::runtime;

/// Reads the bits of a value as its kind says.
static void setValue(NamedValue &value, const std::string &kind, int64_t bits) {
  value.value = bits;
  value.floatValue = static_cast<double>(bits);
  if (kind == "b") {
    value.kind = TALLY_RT_BOOL;
  } else if (kind == "f") {
    value.kind = TALLY_RT_FLOAT;
    std::memcpy(&value.floatValue, &bits, sizeof(bits));
    bool fits = value.floatValue > -9.2e18 && value.floatValue < 9.2e18;
    value.value = fits ? static_cast<int64_t>(value.floatValue) : 0;
  }
}

static std::string renderPosition(const ErrorRecord &record) {
  if (record.file.empty())
    return "";
  std::string result = record.file + ":";
  if (record.line > 0)
    result += std::to_string(record.line) + ":";
  if (record.line > 0 && record.column > 0)
    result += std::to_string(record.column) + ":";
  return result + " ";
}

/// Returns whether `text` reads as a part of an expression: `x.size(0)`,
/// `k[3]`.
static bool isPath(const std::string &text) {
  return !text.empty() && text.find_first_of(" ,=<>") == std::string::npos &&
         text.find("...") == std::string::npos;
}

/// Returns the letters and digits of `text`.
static std::string keepAlnum(const std::string &text) {
  std::string result;
  for (char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)))
      result += c;
  return result;
}

/// Returns whether the compiler has called a value after its source: `x_size_0`
/// or, as there was one of that name already, `x_size_0_1`.
static bool isNamedAfter(const std::string &name, const std::string &source) {
  std::string kept = keepAlnum(source);
  if (keepAlnum(name) == kept)
    return true;
  size_t last = name.find_last_not_of("0123456789");
  return last != std::string::npos && name[last] == '_' &&
         last + 1 < name.size() && keepAlnum(name.substr(0, last)) == kept;
}

/// Returns whether the compiler calls a value by its kind alone: `size`, or
/// `value_1`.
static bool isNamedByKind(const std::string &name) {
  size_t end = std::min(name.find('_'), name.size());
  std::string kind = name.substr(0, end);
  return (kind == "size" || kind == "value" || kind == "ok") &&
         name.find_first_not_of("0123456789_", end) == std::string::npos;
}

/// Returns whether a person knows the value by its source alone: it is of no
/// symbol.
static bool isKnownBySource(const NamedValue &value) {
  return isPath(value.source) &&
         (isNamedByKind(value.name) || isNamedAfter(value.name, value.source));
}

/// Returns `text` with sources in place of the names that tell a person
/// nothing.
static std::string placeSources(const std::string &text,
                                const ErrorRecord &record) {
  auto isName = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  std::string result;
  for (size_t begin = 0, end = 0; begin < text.size(); begin = end) {
    for (end = begin; end < text.size() && isName(text[end]);)
      ++end;
    if (end == begin) {
      result += text[end++];
      continue;
    }
    std::string word = text.substr(begin, end - begin);
    for (const NamedValue &value : record.values)
      if (value.name == word && isKnownBySource(value)) {
        word = value.source;
        break;
      }
    result += word;
  }
  return result;
}

static std::string renderSources(const ErrorRecord &record) {
  std::string result;
  for (const NamedValue &value : record.values)
    if (!value.source.empty() && value.source != value.name &&
        !isKnownBySource(value))
      result +=
          (result.empty() ? "" : ", ") + value.name + " = " + value.source;
  return result.empty() ? result : " (" + result + ")";
}

std::string tally::runtime::renderMessage(const ErrorRecord &record) {
  std::string result = renderPosition(record);
  if (record.expression.empty()) {
    result += record.userMessage.empty() ? "a check does not hold"
                                         : record.userMessage;
    std::string values;
    for (const NamedValue &value : record.values)
      values += (values.empty() ? ": " : ", ") + value.name + " = " +
                printValue(value);
    result += placeSources(values, record) + renderSources(record);
  } else {
    result += placeSources(record.expression, record) + " does not hold";
    std::string values = explain(record.expression, record.values);
    if (!values.empty())
      result += ": " + placeSources(values, record);
    result += renderSources(record);
    if (!record.userMessage.empty())
      result += "; " + record.userMessage;
  }
  if (!record.requiredBy.empty())
    result += "; needed by " + record.requiredBy;
  if (!record.declaredBy.empty())
    result += "; declared by " + record.declaredBy;
  return result;
}

/// Fails with the fields of one assert.
static void failAssert(tally_rt_context *ctx, const char *text,
                       int32_t numValues, const int64_t *values) {
  ErrorRecord record;
  record.status = TALLY_RT_CHECK_FAILED;
  RecordReader reader(text);
  record.expression = reader.text();
  record.userMessage = reader.text();
  record.requiredBy = reader.text();
  record.declaredBy = reader.text();
  record.file = reader.text();
  record.line = reader.number();
  record.column = reader.number();
  int32_t numNames = reader.number();
  for (int32_t i = 0; i < numNames && i < numValues; ++i) {
    NamedValue value;
    std::string kind = reader.text();
    value.name = reader.text();
    value.source = reader.text();
    setValue(value, kind, values[i]);
    record.values.push_back(std::move(value));
  }
  ctx->fail(std::move(record));
}

int32_t tally_rt_fail(tally_rt_context *ctx, const tally_rt_assert_table *table,
                      int32_t index, int32_t numValues, const int64_t *values) {
  // Only the first failure is kept: do not read a record for another. Kernels
  // that are on their way may have failed before.
  if (ctx->failed() || (ctx->isOnGpu() && !ctx->cuda->checkEarlier()))
    return TALLY_RT_CHECK_FAILED;
  try {
    failAssert(ctx, table->records + table->offsets[index], numValues, values);
  } catch (const std::bad_alloc &) {
    ErrorRecord record;
    record.status = TALLY_RT_CHECK_FAILED;
    ctx->fail(std::move(record));
  }
  return TALLY_RT_CHECK_FAILED;
}
