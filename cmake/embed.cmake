# torchpatch_embed(layer NAME file …): text files as constants of a layer, in its namespace. A header declares each NAME as
# `extern const std::string_view`; the constant is the file's text.
function(torchpatch_embed layer)
  set(definitions "")
  set(rest ${ARGN})
  while(rest)
    list(POP_FRONT rest name file)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
    file(READ "${file}" text)
    string(APPEND definitions
      "extern const std::string_view ${name};\nconstinit const std::string_view ${name} = R\"~~~~(${text})~~~~\"sv;\n")
  endwhile()
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${layer}_texts.cpp")
  set(inner "::${layer}")
  if(layer MATCHES "^(document|model)$")  # whose names are everybody's
    set(inner "")
  endif()
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT
    "#include <string_view>\n\n#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n\nnamespace torchpatch@inner@ {\nusing namespace std::string_view_literals;  // with the length: it is not counted while compiling\n@definitions@}  // namespace torchpatch@inner@\n")
  target_sources(torchpatch_${layer} PRIVATE "${source}")
endfunction()
