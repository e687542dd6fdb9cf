# torchpatch_embed(layer header NAME file …): text files as constants of a layer. The header, which is written by hand,
# declares each NAME as `extern const std::string_view`; the constant is the file's text.
function(torchpatch_embed layer header)
  set(definitions "")
  set(pairs ${ARGN})
  while(pairs)
    list(POP_FRONT pairs name file)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" text)
    string(APPEND definitions "constinit const std::string_view ${name} = R\"~~~~(${text})~~~~\";\n")
  endwhile()
  string(MAKE_C_IDENTIFIER "${header}" stem)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${stem}_texts.cpp")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT
    "#include \"${header}\"\n\nnamespace torchpatch::${layer} {\n@definitions@}  // namespace torchpatch::${layer}\n")
  target_sources(torchpatch_${layer} PRIVATE "${source}")
endfunction()
