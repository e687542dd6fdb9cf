# torchpatch_layer(name SOURCES a.cpp … LAYERS support … LIBRARIES PkgConfig::libgit2 …)
# One static library a directory of src/. LAYERS are the layers it may include (docs/architecture.md; tests/layers_test
# walks the includes); LIBRARIES are third-party and private.
function(torchpatch_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "SOURCES;LAYERS;LIBRARIES")
  list(TRANSFORM layer_LAYERS PREPEND torchpatch_)
  if(NOT layer_SOURCES)
    add_library(torchpatch_${name} INTERFACE)
    target_link_libraries(torchpatch_${name} INTERFACE ${layer_LAYERS} ${layer_LIBRARIES})
    return()
  endif()
  add_library(torchpatch_${name} STATIC ${layer_SOURCES})
  target_link_libraries(torchpatch_${name} PUBLIC ${layer_LAYERS} PRIVATE torchpatch_settings ${layer_LIBRARIES})
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
  target_compile_options(${name} PRIVATE -O0)  # halves their compile time; what they test is optimised
  catch_discover_tests(${name} TEST_PREFIX "${name}: " PROPERTIES TIMEOUT 300)
endfunction()
