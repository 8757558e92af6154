# Thin wrappers over LLVM's and MLIR's CMake functions: every library of Tally
# is put into Tally's own export set and takes MLIR from one place only.

# tally_install_library(NAME [EXPORT targets]): part of the installed package,
# with headers found in the source tree, the build tree or the installation. The
# set of targets is TallyTargets, which comes with MLIR, or TallyRuntimeTargets.
function(tally_install_library name)
  cmake_parse_arguments(ARG "" "EXPORT" "" ${ARGN})
  if(NOT ARG_EXPORT)
    set(ARG_EXPORT TallyTargets)
    # Tally's headers include MLIR's; an installed package finds these again.
    target_include_directories(${name} SYSTEM INTERFACE
      "$<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS};${MLIR_INCLUDE_DIRS}>")
  endif()
  target_include_directories(${name} INTERFACE
    $<BUILD_INTERFACE:${TALLY_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${TALLY_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  install(TARGETS ${name} EXPORT ${ARG_EXPORT}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  # The name that find_package gives it, for those who add this directory.
  add_library(Tally::${name} ALIAS ${name})
  set_property(GLOBAL APPEND PROPERTY TALLY_INSTALLED ${name})
endfunction()

# tally_precompile_headers(NAME): the files of NAME, a library or tool that links MLIR, read MLIR's
# headers from a form that is compiled once. The first library owns it, the others reuse it. A file
# includes what it needs all the same: it has to compile with -D TALLY_PRECOMPILE_HEADERS=OFF.
function(tally_precompile_headers name)
  if(NOT TALLY_PRECOMPILE_HEADERS)
    return()
  endif()
  get_property(owner GLOBAL PROPERTY TALLY_PRECOMPILED_BY)
  if(owner)
    target_precompile_headers(${name} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${name} PRIVATE ${TALLY_SOURCE_DIR}/cmake/modules/Precompiled.h)
    set_property(GLOBAL PROPERTY TALLY_PRECOMPILED_BY ${name})
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # Templates are instantiated once, too. The compiled form holds no time, or ccache would
    # never find it again.
    target_compile_options(${name} PRIVATE
      -fpch-instantiate-templates "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

# tally_add_library(NAME SOURCES... [DEPENDS targets] [LINK_LIBS tally libraries]
#                   [MLIR_LIBS MLIR component libraries])
# MLIR components are listed apart: they become libMLIR.so or the archives, never
# both in one target.
function(tally_add_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS;MLIR_LIBS" ${ARGN})
  add_mlir_library(${name} STATIC
    DISABLE_INSTALL
    EXCLUDE_FROM_LIBMLIR
    ${ARG_UNPARSED_ARGUMENTS}
    DEPENDS ${ARG_DEPENDS}
    LINK_LIBS PUBLIC ${ARG_LINK_LIBS})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(ARG_MLIR_LIBS)
    tally_precompile_headers(${name})
    mlir_target_link_libraries(${name} PUBLIC ${ARG_MLIR_LIBS})
  endif()
  tally_install_library(${name})
endfunction()

# tally_add_tool(NAME SOURCES... [LINK_LIBS ...] [MLIR_LIBS ...])
function(tally_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS;MLIR_LIBS" ${ARGN})
  add_llvm_executable(${name} DISABLE_LLVM_LINK_LLVM_DYLIB ${ARG_UNPARSED_ARGUMENTS})
  llvm_update_compile_flags(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
  if(ARG_MLIR_LIBS)
    tally_precompile_headers(${name})
    mlir_target_link_libraries(${name} PRIVATE ${ARG_MLIR_LIBS})
  endif()
  set_target_properties(${name} PROPERTIES
    INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR};${LLVM_LIBRARY_DIRS}")
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  set_property(GLOBAL APPEND PROPERTY TALLY_INSTALLED ${name})
endfunction()

# tally_add_unittest(NAME SOURCES... [LINK_LIBS ...] [MLIR_LIBS ...])
# A gtest binary below test/Unit; lit finds it by its name, which ends in Tests.
function(tally_add_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS;MLIR_LIBS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_UNPARSED_ARGUMENTS})
  llvm_update_compile_flags(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} GTest::gtest_main)
  if(ARG_MLIR_LIBS)
    tally_precompile_headers(${name})
    mlir_target_link_libraries(${name} PRIVATE ${ARG_MLIR_LIBS})
  endif()
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${TALLY_BINARY_DIR}/test/Unit)
  set_property(GLOBAL APPEND PROPERTY TALLY_UNITTESTS ${name})
endfunction()

# Adds the subdirectories that are there, in the order given.
function(tally_add_subdirectories)
  foreach(dir ${ARGN})
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${dir}/CMakeLists.txt)
      add_subdirectory(${dir})
    endif()
  endforeach()
endfunction()

# tally_install_package(SETS...): installs headers and the CMake package with these sets of targets,
# for the build tree and the installation. The headers are those of the runtime where it is alone.
function(tally_install_package)
  set(dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tally)
  include(CMakePackageConfigHelpers)
  configure_package_config_file(
    ${TALLY_SOURCE_DIR}/cmake/modules/TallyConfig.cmake.in
    ${TALLY_BINARY_DIR}/cmake/TallyConfig.cmake
    INSTALL_DESTINATION ${dir}
    PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
  write_basic_package_version_file(
    ${TALLY_BINARY_DIR}/cmake/TallyConfigVersion.cmake
    VERSION ${tally_VERSION} COMPATIBILITY SameMinorVersion)
  foreach(set ${ARGN})
    install(EXPORT ${set} NAMESPACE Tally:: DESTINATION ${dir})
  endforeach()
  install(FILES
    ${TALLY_BINARY_DIR}/cmake/TallyConfig.cmake
    ${TALLY_BINARY_DIR}/cmake/TallyConfigVersion.cmake
    DESTINATION ${dir})
  if(TALLY_RUNTIME_TBB)
    set(TALLY_PC_TBB "-ltbb ")
  else()
    set(TALLY_PC_TBB "")
  endif()
  # The file finds the prefix from where it lies.
  set(pkgconfig ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  file(RELATIVE_PATH TALLY_PC_PREFIX /prefix/${pkgconfig} /prefix)
  configure_file(${TALLY_SOURCE_DIR}/cmake/modules/tally-runtime.pc.in
    ${TALLY_BINARY_DIR}/cmake/tally-runtime.pc @ONLY)
  install(FILES ${TALLY_BINARY_DIR}/cmake/tally-runtime.pc DESTINATION ${pkgconfig})
  set(headers ${TALLY_SOURCE_DIR}/include/ ${TALLY_BINARY_DIR}/include/)
  set(place ${CMAKE_INSTALL_INCLUDEDIR})
  if(TALLY_RUNTIME_ONLY)
    set(headers ${TALLY_SOURCE_DIR}/include/tally/Runtime/)
    set(place ${CMAKE_INSTALL_INCLUDEDIR}/tally/Runtime)
  endif()
  install(DIRECTORY ${headers} DESTINATION ${place}
    FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "*.inc" PATTERN "*.td"
    PATTERN CMakeFiles EXCLUDE)
endfunction()
