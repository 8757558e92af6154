//===- Call.cpp - Calls of compiled functions from Python -----------------===//
//
// A module for CPython that calls an entry point of a compiled library with
// NumPy arrays, numbers and PyTorch's tensors, and gives its results back, of a
// library for a GPU on PyTorch's stream. What is unusual, and what is wrong, is
// left to the package, which does the same in Python. It needs CPython's stable
// interface alone.
//
//===----------------------------------------------------------------------===//

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include "tally/Runtime/tally_runtime.h"

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

namespace {

/// A reference to an object that ends with its scope.
struct Unref {
  void operator()(PyObject *object) const { Py_DECREF(object); }
};
using Reference = std::unique_ptr<PyObject, Unref>;

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// A returned tensor, whose memory is that of the arrays that are made of it.
struct Result {
  PyObject_VAR_HEAD;
  DLManagedTensor *tensor;
  /// The strides in bytes, as many as there are dimensions.
  Py_ssize_t strides[1];
};

/// The letter of the module `struct` for a data type; bf16 is its bits.
const char *getFormat(DLDataType type) {
  bool isSigned = type.code == kDLInt;
  if (type.code == kDLBool)
    return "?";
  if (type.code == kDLComplex)
    return type.bits == 128 ? "Zd" : "Zf";
  if (type.code == kDLFloat)
    return type.bits == 64 ? "d" : type.bits == 32 ? "f" : "e";
  switch (type.bits) {
  case 8:
    return isSigned ? "b" : "B";
  case 16:
    return isSigned ? "h" : "H";
  case 32:
    return isSigned ? "i" : "I";
  default:
    return isSigned ? "q" : "Q";
  }
}

int getResultBuffer(PyObject *self, Py_buffer *view, int flags) {
  auto *result = reinterpret_cast<Result *>(self);
  const DLTensor &tensor = result->tensor->dl_tensor;
  view->obj = Py_NewRef(self);
  view->buf = static_cast<char *>(tensor.data) + tensor.byte_offset;
  view->itemsize = tensor.dtype.bits / 8;
  view->len = view->itemsize;
  for (int32_t i = 0; i < tensor.ndim; ++i)
    view->len *= tensor.shape[i];
  view->readonly = 0;
  view->ndim = tensor.ndim;
  view->format = flags & PyBUF_FORMAT
                     ? const_cast<char *>(getFormat(tensor.dtype))
                     : nullptr;
  view->shape = reinterpret_cast<Py_ssize_t *>(tensor.shape);
  view->strides = result->strides;
  view->suboffsets = nullptr;
  view->internal = nullptr;
  return 0;
}

void deleteResult(PyObject *self) {
  auto *result = reinterpret_cast<Result *>(self);
  if (result->tensor)
    result->tensor->deleter(result->tensor);
  PyTypeObject *type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

PyType_Slot resultSlots[] = {
    {Py_bf_getbuffer, reinterpret_cast<void *>(getResultBuffer)},
    {Py_tp_dealloc, reinterpret_cast<void *>(deleteResult)},
    {Py_tp_doc, const_cast<char *>("Memory of a returned tensor.")},
    {0, nullptr}};
PyType_Spec resultSpec = {
    "tally._call.Result", offsetof(Result, strides), sizeof(Py_ssize_t),
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, resultSlots};
PyTypeObject *resultType;

/// Takes over a tensor; null, with an exception, where there is no memory.
PyObject *createResult(DLManagedTensor *tensor) {
  auto allocate =
      reinterpret_cast<allocfunc>(PyType_GetSlot(resultType, Py_tp_alloc));
  const DLTensor &dl = tensor->dl_tensor;
  auto *result = reinterpret_cast<Result *>(allocate(resultType, dl.ndim));
  if (!result) {
    tensor->deleter(tensor);
    return nullptr;
  }
  result->tensor = tensor;
  Py_ssize_t stride = dl.dtype.bits / 8;
  for (int32_t i = dl.ndim - 1; i >= 0; --i) {
    result->strides[i] = stride;
    stride *= dl.shape[i];
  }
  return reinterpret_cast<PyObject *>(result);
}

//===----------------------------------------------------------------------===//
// Tensors of other libraries
//===----------------------------------------------------------------------===//

/// A tensor that goes to another library, as DLPack 1.0 and later have it.
struct VersionedTensor {
  uint32_t major = 1, minor = 0;
  void *owner = nullptr;
  void (*deleter)(VersionedTensor *) = nullptr;
  uint64_t flags = 0;
  DLTensor tensor;
};

/// The functions that libraries of tensors offer to C, as DLPack 1.2 has them.
struct ExchangeFunctions {
  struct {
    uint32_t major, minor;
    void *previous;
  } header;
  void *allocate, *fromObject;
  int (*toObject)(VersionedTensor *tensor, void **object);
  int (*describe)(void *object, DLTensor *tensor);
  int (*getStream)(DLDeviceType type, int32_t device, void **stream);
};

/// The functions of a type that has them itself, and does not inherit them.
const ExchangeFunctions *findExchange(PyObject *type) {
  Reference members(PyObject_GetAttrString(type, "__dict__"));
  Reference capsule(members ? PyMapping_GetItemString(
                                  members.get(), "__dlpack_c_exchange_api__")
                            : nullptr);
  const auto *found = static_cast<const ExchangeFunctions *>(
      capsule ? PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api")
              : nullptr);
  PyErr_Clear();
  bool isUsable = found && found->header.major == 1 && found->describe;
  return isUsable ? found : nullptr;
}

/// Gives a returned tensor to the library that makes its own tensors of it.
PyObject *createTensor(const ExchangeFunctions &functions,
                       DLManagedTensor *result) {
  auto *versioned = new (std::nothrow) VersionedTensor;
  if (!versioned) {
    result->deleter(result);
    return PyErr_NoMemory();
  }
  versioned->owner = result;
  versioned->tensor = result->dl_tensor;
  versioned->deleter = [](VersionedTensor *self) {
    auto *owned = static_cast<DLManagedTensor *>(self->owner);
    owned->deleter(owned);
    delete self;
  };
  void *object = nullptr;
  if (functions.toObject(versioned, &object) != 0)
    return nullptr;
  return static_cast<PyObject *>(object);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// A tensor for an argument, and what it refers to.
struct Argument {
  static constexpr int32_t maxRank = 8;

  DLTensor tensor;
  Py_buffer view;
  bool hasView = false;
  int64_t strides[maxRank];
  union {
    int64_t integer;
    double real;
    bool boolean;
  } number;

  ~Argument() {
    if (hasView)
      PyBuffer_Release(&view);
  }

  bool setNumber(PyObject *value, const tally_rt_value &declared);
  bool setBuffer(PyObject *value, const tally_rt_value &declared,
                 bool isWritten);
  bool setTensor(PyObject *value);
  bool setTensor(const ExchangeFunctions &functions, PyObject *value,
                 int32_t deviceType);
};

bool Argument::setNumber(PyObject *value, const tally_rt_value &declared) {
  DLDataType type = declared.dtype;
  if (declared.rank != 0)
    return false;
  if (type.code == kDLBool && PyBool_Check(value)) {
    number.boolean = value == Py_True;
  } else if (type.code == kDLInt && type.bits == 64 &&
             PyLong_CheckExact(value)) {
    int overflow = 0;
    number.integer = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow)
      return false;
  } else if (type.code == kDLFloat && type.bits == 64 &&
             PyFloat_CheckExact(value)) {
    number.real = PyFloat_AsDouble(value);
  } else {
    return false;
  }
  tensor = {&number, {kDLCPU, 0}, 0, type, nullptr, nullptr, 0};
  return true;
}

/// Takes an array of NumPy's whose elements are in the order of this machine.
bool Argument::setBuffer(PyObject *value, const tally_rt_value &declared,
                         bool isWritten) {
  int flags = PyBUF_FORMAT | PyBUF_STRIDES | (isWritten ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(value, &view, flags) != 0) {
    PyErr_Clear();
    return false;
  }
  hasView = true;
  const char *format = view.format;
  bool isComplex = format && *format == 'Z';
  format += isComplex;
  if (!format || std::strlen(format) != 1 || view.ndim > maxRank)
    return false;
  DLDataType type = {0, static_cast<uint8_t>(view.itemsize * 8), 1};
  if (std::strchr("bhilq", *format))
    type.code = kDLInt;
  else if (std::strchr("BHILQ", *format))
    type.code = declared.dtype.code == kDLBfloat && view.itemsize == 2
                    ? kDLBfloat
                    : kDLUInt;
  else if (std::strchr("efd", *format))
    type.code = isComplex ? kDLComplex : kDLFloat;
  else if (*format == '?')
    type.code = kDLBool;
  else
    return false;
  for (int32_t i = 0; i < view.ndim; ++i) {
    if (view.strides[i] % view.itemsize != 0)
      return false;
    strides[i] = view.strides[i] / view.itemsize;
  }
  tensor = {view.buf,
            {kDLCPU, 0},
            view.ndim,
            type,
            reinterpret_cast<int64_t *>(view.shape),
            strides,
            0};
  return true;
}

/// The same, quick for the type of the last call.
const ExchangeFunctions *getExchange(PyTypeObject *type) {
  // One library of tensors is the rule; its type stays.
  static PyTypeObject *known;
  static const ExchangeFunctions *functions;
  if (type == known)
    return functions;
  auto *object = reinterpret_cast<PyObject *>(type);
  const ExchangeFunctions *found = findExchange(object);
  if (!found)
    return nullptr;
  Py_XDECREF(reinterpret_cast<PyObject *>(known));
  known = reinterpret_cast<PyTypeObject *>(Py_NewRef(object));
  functions = found;
  return functions;
}

/// Whether an attribute, or what a method returns, is false.
bool isFalse(PyObject *value, const char *name) {
  Reference member(PyObject_GetAttrString(value, name));
  if (member && PyCallable_Check(member.get()))
    member.reset(PyObject_CallNoArgs(member.get()));
  PyErr_Clear();
  return member.get() == Py_False;
}

/// Takes a tensor on the CPU that no gradient needs.
bool Argument::setTensor(PyObject *value) {
  const ExchangeFunctions *functions = getExchange(Py_TYPE(value));
  if (!functions)
    return false;
  for (const char *name : {"requires_grad", "is_neg"})
    if (!isFalse(value, name))
      return false;
  return setTensor(*functions, value, kDLCPU);
}

/// Takes a tensor where the library runs.
bool Argument::setTensor(const ExchangeFunctions &functions, PyObject *value,
                         int32_t deviceType) {
  if (functions.describe(value, &tensor) != 0) {
    PyErr_Clear();
    return false;
  }
  // Where elements are conjugated when they are read, memory has others.
  if (tensor.dtype.code == kDLComplex && !isFalse(value, "is_conj"))
    return false;
  return static_cast<int32_t>(tensor.device.device_type) == deviceType;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

using Invoke = decltype(&tally_rt_invoke);
using SetStream = decltype(&tally_rt_set_stream);

/// An entry point.
struct Caller {
  PyObject_HEAD;
  const tally_rt_library *library;
  const tally_rt_entry *entry;
  Invoke invoke;
  SetStream setStream;
  int32_t numResults;
  /// How tensors come and go, where arguments and results are these; null
  /// where they are arrays.
  const ExchangeFunctions *exchange;
  /// The objects that the package gives: the types of arrays, or of tensors,
  /// what makes an array of a Result, a list of contexts that no call uses,
  /// what makes another one, and what raises the error of a status and a
  /// context.
  PyObject *types, *asArray, *contexts, *createContext, *fail;
};

/// Whether the type of a value is one of those that the package gave.
bool hasType(const Caller &caller, PyObject *value) {
  auto *type = reinterpret_cast<PyObject *>(Py_TYPE(value));
  for (Py_ssize_t i = 0, size = PyTuple_Size(caller.types); i < size; ++i)
    if (PyTuple_GetItem(caller.types, i) == type)
      return true;
  return false;
}

bool isWritten(const tally_rt_entry &entry, int32_t argument) {
  for (int32_t i = 0; i < entry.num_results; ++i)
    if (entry.results[i].mutates == argument)
      return true;
  return false;
}

/// Describes the arguments; false where one is unusual.
bool describe(const Caller &caller, PyObject *values,
              std::vector<Argument> &arguments,
              std::vector<DLTensor *> &tensors) {
  const tally_rt_entry &entry = *caller.entry;
  for (int32_t i = 0; i < entry.num_arguments; ++i) {
    PyObject *value = PyTuple_GetItem(values, i);
    const tally_rt_value &declared = entry.arguments[i];
    Argument &argument = arguments[i];
    bool writes = isWritten(entry, i);
    bool known = false;
    if (!hasType(caller, value))
      known = !writes && (argument.setNumber(value, declared) ||
                          (!caller.exchange && argument.setTensor(value)));
    else if (caller.exchange && declared.is_scalar)
      known = !writes && isFalse(value, "is_neg") &&
              argument.setTensor(*caller.exchange, value, kDLCPU);
    else if (caller.exchange)
      known = argument.setTensor(*caller.exchange, value,
                                 caller.library->device_type);
    else
      known = argument.setBuffer(value, declared, writes);
    if (!known)
      return false;
    tensors[i] = &argument.tensor;
  }
  return true;
}

/// A context for a call; null with an exception where there is no memory.
PyObject *takeContext(const Caller &caller) {
  Py_ssize_t size = PyList_Size(caller.contexts);
  if (size == 0)
    return PyObject_CallNoArgs(caller.createContext);
  PyObject *context = Py_NewRef(PyList_GetItem(caller.contexts, size - 1));
  if (PyList_SetSlice(caller.contexts, size - 1, size, nullptr) != 0)
    Py_CLEAR(context);
  return context;
}

/// A number of a result, which ends with it.
PyObject *createNumber(DLManagedTensor *result) {
  const DLTensor &tensor = result->dl_tensor;
  Reference whole(createResult(result));
  if (!whole)
    return nullptr;
  const void *data = static_cast<char *>(tensor.data) + tensor.byte_offset;
  if (tensor.dtype.code == kDLBool)
    return PyBool_FromLong(*static_cast<const bool *>(data));
  if (tensor.dtype.code == kDLFloat)
    return PyFloat_FromDouble(*static_cast<const double *>(data));
  return PyLong_FromLongLong(*static_cast<const int64_t *>(data));
}

/// Whether a number of this type is one that createNumber reads.
bool isWholeNumber(const tally_rt_value &value) {
  return value.dtype.code == kDLBool ||
         (value.dtype.bits == 64 &&
          (value.dtype.code == kDLInt || value.dtype.code == kDLFloat));
}

/// Makes the value that a call returns; takes over all results.
PyObject *createReturned(const Caller &caller,
                         std::vector<DLManagedTensor *> &results) {
  const tally_rt_entry &entry = *caller.entry;
  std::vector<PyObject *> objects;
  for (int32_t i = 0, next = 0; i < entry.num_results; ++i) {
    if (entry.results[i].mutates >= 0)
      continue;
    DLManagedTensor *result = results[next++];
    if (entry.results[i].is_scalar) {
      objects.push_back(createNumber(result));
      continue;
    }
    if (caller.exchange) {
      objects.push_back(createTensor(*caller.exchange, result));
      continue;
    }
    Reference memory(createResult(result));
    objects.push_back(memory ? PyObject_CallFunctionObjArgs(
                                   caller.asArray, memory.get(), nullptr)
                             : nullptr);
  }
  if (objects.empty())
    return Py_NewRef(Py_None);
  if (objects.size() == 1)
    return objects.front();
  PyObject *tuple = PyTuple_New(static_cast<Py_ssize_t>(objects.size()));
  bool complete = tuple != nullptr;
  for (size_t i = 0; i < objects.size(); ++i) {
    complete = complete && objects[i];
    if (tuple)
      PyTuple_SetItem(tuple, static_cast<Py_ssize_t>(i), objects[i]);
    else
      Py_XDECREF(objects[i]);
  }
  if (!complete)
    Py_CLEAR(tuple);
  return tuple;
}

/// Has a call on a GPU work on the stream that the other library uses there.
bool setStream(const Caller &caller, tally_rt_context *context,
               const std::vector<DLTensor *> &tensors) {
  if (caller.library->device_type != kDLCUDA)
    return true;
  int32_t device = 0;
  for (const DLTensor *tensor : tensors)
    if (tensor->device.device_type == kDLCUDA) {
      device = tensor->device.device_id;
      break;
    }
  void *stream = nullptr;
  if (caller.exchange->getStream(kDLCUDA, device, &stream) != 0)
    return false;
  caller.setStream(context, stream);
  return true;
}

/// Calls with arguments that have been described.
PyObject *invoke(const Caller &caller, std::vector<DLTensor *> &tensors) {
  Reference context(takeContext(caller));
  if (!context)
    return nullptr;
  std::vector<DLManagedTensor *> results(caller.numResults);
  auto *address =
      static_cast<tally_rt_context *>(PyLong_AsVoidPtr(context.get()));
  if (!setStream(caller, address, tensors)) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_RuntimeError, "cannot find the current stream");
    PyList_Append(caller.contexts, context.get());
    return nullptr;
  }
  PyThreadState *state = PyEval_SaveThread();
  int32_t status = caller.invoke(
      caller.library, caller.entry, address, tensors.data(),
      static_cast<int32_t>(tensors.size()), results.data(), caller.numResults);
  PyEval_RestoreThread(state);
  Reference returned;
  if (status == TALLY_RT_OK)
    returned.reset(createReturned(caller, results));
  else // It raises an exception.
    returned.reset(
        PyObject_CallFunction(caller.fail, "iO", status, context.get()));
  if (PyList_Append(caller.contexts, context.get()) != 0)
    returned.reset();
  return returned.release();
}

/// The results for a tuple of arguments, or NotImplemented where one of them is
/// unusual.
PyObject *call(PyObject *self, PyObject *values, PyObject *named) {
  const auto &caller = *reinterpret_cast<Caller *>(self);
  int32_t count = caller.entry->num_arguments;
  if (named || PyTuple_Size(values) != count)
    return Py_NewRef(Py_NotImplemented);
  try {
    std::vector<Argument> arguments(count);
    std::vector<DLTensor *> tensors(count);
    if (!describe(caller, values, arguments, tensors))
      return Py_NewRef(Py_NotImplemented);
    return invoke(caller, tensors);
  } catch (const std::bad_alloc &) {
    return PyErr_NoMemory();
  }
}

void deleteCaller(PyObject *self) {
  PyObject_GC_UnTrack(self);
  auto *caller = reinterpret_cast<Caller *>(self);
  for (PyObject *object : {caller->types, caller->asArray, caller->contexts,
                           caller->createContext, caller->fail})
    Py_XDECREF(object);
  PyTypeObject *type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

int visitCaller(PyObject *self, visitproc visit, void *arg) {
  auto *caller = reinterpret_cast<Caller *>(self);
  Py_VISIT(Py_TYPE(self));
  for (PyObject *object : {caller->types, caller->asArray, caller->contexts,
                           caller->createContext, caller->fail})
    Py_VISIT(object);
  return 0;
}

/// Whether an entry point is called here: none whose arguments tell where their
/// memory starts, and none with numbers of other types.
bool isUsual(const tally_rt_entry &entry) {
  for (int32_t i = 0; i < entry.num_results; ++i)
    if (entry.results[i].is_scalar && !isWholeNumber(entry.results[i]))
      return false;
  return entry.num_hidden == 0;
}

PyObject *createCaller(PyTypeObject *type, PyObject *values, PyObject *) {
  unsigned long long library, entry, invoke, setStream = 0;
  PyObject *objects[5];
  if (!PyArg_ParseTuple(values, "KKKO!OOOO|K", &library, &entry, &invoke,
                        &PyTuple_Type, &objects[0], &objects[1], &objects[2],
                        &objects[3], &objects[4], &setStream))
    return nullptr;
  const auto *described = reinterpret_cast<const tally_rt_entry *>(entry);
  const ExchangeFunctions *exchange = nullptr;
  if (objects[1] == Py_None && PyTuple_Size(objects[0]) != 0)
    exchange = findExchange(PyTuple_GetItem(objects[0], 0));
  const auto *owner = reinterpret_cast<const tally_rt_library *>(library);
  bool isOnGpu = owner->device_type == kDLCUDA;
  if (!isUsual(*described) || (objects[1] == Py_None && !exchange) ||
      (isOnGpu && !(exchange && exchange->getStream && setStream)))
    return Py_NewRef(Py_None);
  auto allocate =
      reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  auto *caller = reinterpret_cast<Caller *>(allocate(type, 0));
  if (!caller)
    return nullptr;
  caller->library = owner;
  caller->entry = described;
  caller->invoke = reinterpret_cast<Invoke>(invoke);
  caller->setStream = reinterpret_cast<SetStream>(setStream);
  for (int32_t i = 0; i < described->num_results; ++i)
    caller->numResults += described->results[i].mutates < 0;
  caller->exchange = exchange;
  caller->types = Py_NewRef(objects[0]);
  caller->asArray = Py_NewRef(objects[1]);
  caller->contexts = Py_NewRef(objects[2]);
  caller->createContext = Py_NewRef(objects[3]);
  caller->fail = Py_NewRef(objects[4]);
  return reinterpret_cast<PyObject *>(caller);
}

PyType_Slot callerSlots[] = {
    {Py_tp_new, reinterpret_cast<void *>(createCaller)},
    {Py_tp_call, reinterpret_cast<void *>(call)},
    {Py_tp_dealloc, reinterpret_cast<void *>(deleteCaller)},
    {Py_tp_traverse, reinterpret_cast<void *>(visitCaller)},
    {Py_tp_doc, const_cast<char *>("An entry point of a compiled library.")},
    {0, nullptr}};
PyType_Spec callerSpec = {"tally._call.Caller", sizeof(Caller), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, callerSlots};

PyModuleDef moduleDef = {PyModuleDef_HEAD_INIT,
                         "_call",
                         "Calls of compiled functions.",
                         -1,
                         nullptr,
                         nullptr,
                         nullptr,
                         nullptr,
                         nullptr};

} // namespace

// CPython finds it by this name.
// NOLINTNEXTLINE(readability-identifier-naming)
PyMODINIT_FUNC PyInit__call() {
  Reference module(PyModule_Create(&moduleDef));
  if (!module)
    return nullptr;
  resultType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&resultSpec));
  Reference callerType(PyType_FromSpec(&callerSpec));
  if (!resultType || !callerType ||
      PyModule_AddIntMacro(module.get(), TALLY_RT_ABI_VERSION) != 0 ||
      PyModule_AddObjectRef(module.get(), "Caller", callerType.get()) != 0)
    return nullptr;
  return module.release();
}
