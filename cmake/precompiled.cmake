# With TORCHPATCH_PRECOMPILE, headers that nearly every file includes are compiled once: half of the tests' compile time, a
# fifth of src/'s. (At -O2 g++ 12 warns falsely of what comes out of a precompiled header.) A file still has to include what it
# uses, which builds without it see. Compiler caches do not know such headers.
set(standard_headers <algorithm> <array> <chrono> <cstdint> <functional> <map> <memory> <optional> <set> <string>
  <string_view> <tuple> <utility> <variant> <vector>)
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/nothing.cpp" CONTENT "")

# torchpatch_precompile(name HEADERS … LIBRARIES … OPTIONS …): compiles the headers with these compile options.
function(torchpatch_precompile name)
  cmake_parse_arguments(PARSE_ARGV 1 precompile "" "" "HEADERS;LIBRARIES;OPTIONS")
  if(TORCHPATCH_PRECOMPILE)
    add_library(${name} OBJECT "${PROJECT_BINARY_DIR}/nothing.cpp")
    target_link_libraries(${name} PRIVATE torchpatch_settings ${precompile_LIBRARIES})
    target_compile_options(${name} PRIVATE ${precompile_OPTIONS})
    target_precompile_headers(${name} PRIVATE ${standard_headers} ${precompile_HEADERS})
  endif()
endfunction()

# torchpatch_use_precompiled(target name): a target with the same compile options uses the headers of `name`.
function(torchpatch_use_precompiled target name)
  if(TARGET ${name})
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

torchpatch_precompile(torchpatch_standard_headers)
