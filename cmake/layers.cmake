# torchpatch_layer(name [COLD] LAYERS support … LIBRARIES PkgConfig::libgit2 … EMBED NAME file …): one static library for each
# directory of src/, with all sources in it. LAYERS are the layers it may include (docs/architecture.md; layers_test checks
# the includes); LIBRARIES are third-party and private; EMBED: see torchpatch_embed. A COLD layer is compiled at -Og, which takes
# half of the time: its code mostly calls other layers. Under sanitizers the others are compiled at -O1 and it is not, whatever the
# build says: the tests spend most of their time in those.
function(torchpatch_layer name)
  cmake_parse_arguments(layer "COLD" "" "LAYERS;LIBRARIES;EMBED" ${ARGN})
  list(TRANSFORM layer_LAYERS PREPEND torchpatch_)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${name}/*.cpp")
  add_library(torchpatch_${name} STATIC ${sources})
  target_link_libraries(torchpatch_${name} PUBLIC ${layer_LAYERS} PRIVATE torchpatch_settings ${layer_LIBRARIES})
  if(layer_COLD)
    target_compile_options(torchpatch_${name} PRIVATE $<$<CONFIG:Release>:-Og>)
  elseif(TORCHPATCH_SANITIZE)
    target_compile_options(torchpatch_${name} PRIVATE -O1)
  endif()
  if(layer_EMBED)
    torchpatch_embed(${name} ${layer_EMBED})
  endif()
endfunction()

# torchpatch_test(name SOURCES a_test.cpp … LAYERS patch …): one Catch2 program, its cases found by ctest.
function(torchpatch_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "" "SOURCES;LAYERS;LIBRARIES")
  if(NOT test_SOURCES)
    return()
  endif()
  list(TRANSFORM test_LAYERS PREPEND torchpatch_)
  add_executable(${name} ${test_SOURCES})
  target_link_libraries(${name} PRIVATE torchpatch_settings torchpatch_test_main ${test_LAYERS} ${test_LIBRARIES})
  target_compile_options(${name} PRIVATE ${TORCHPATCH_TEST_OPTIONS})
  catch_discover_tests(${name} TEST_PREFIX "${name}: " PROPERTIES TIMEOUT 600)
endfunction()
