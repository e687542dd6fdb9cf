# Language level and warnings, as targets that only our own code links.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "${TORCHPATCH_OPTIMISATION} -DNDEBUG")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 20)  # with CMAKE_UNITY_BUILD: few enough files that ccache and a second core help, in 2 GB

# A compiler cache and a faster linker, if installed.
find_program(TORCHPATCH_CCACHE ccache)
if(TORCHPATCH_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${TORCHPATCH_CCACHE}")
endif()
include(CheckLinkerFlag)
foreach(linker mold lld)
  if(NOT TORCHPATCH_STATIC AND NOT TORCHPATCH_SANITIZE)
    check_linker_flag(CXX "-fuse-ld=${linker}" TORCHPATCH_HAS_${linker})
    if(TORCHPATCH_HAS_${linker})
      add_link_options("-fuse-ld=${linker}")
      break()
    endif()
  endif()
endforeach()

add_library(torchpatch_settings INTERFACE)
target_compile_features(torchpatch_settings INTERFACE cxx_std_20)
target_compile_definitions(torchpatch_settings INTERFACE TORCHPATCH_VERSION="${PROJECT_VERSION}"
  _FILE_OFFSET_BITS=64)  # files of 2 GiB, and any inode, on 32 bits
target_compile_options(torchpatch_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual -Wextra-semi
  -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.  # the same bytes wherever the checkout lies
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>  # g++ 12 warns of std::string's own operator+ (gcc bug 105651)
  "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-heapsize=1000000>"  # KB before g++ collects garbage, a tenth of its time
  $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>  # takes a .cpp file of a unity build for a header
  $<$<BOOL:${TORCHPATCH_WERROR}>:-Werror>)
target_include_directories(torchpatch_settings INTERFACE "${PROJECT_SOURCE_DIR}/src")
if(TORCHPATCH_STATIC)
  target_compile_definitions(torchpatch_settings INTERFACE TORCHPATCH_STATIC)
endif()
if(TORCHPATCH_SANITIZE)
  target_compile_options(torchpatch_settings INTERFACE
    -fsanitize=${TORCHPATCH_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)  # false alarms with sanitizers, as gcc's manual says
  if(TORCHPATCH_SANITIZE_EXCEPT)
    target_compile_options(torchpatch_settings INTERFACE -fno-sanitize=${TORCHPATCH_SANITIZE_EXCEPT})
  endif()
  target_link_options(torchpatch_settings INTERFACE -fsanitize=${TORCHPATCH_SANITIZE})
  target_compile_definitions(torchpatch_settings INTERFACE TORCHPATCH_SANITIZED)
endif()
