# Run by cpack after it packed: cpack takes entries of a .tar.gz in the file system's order, with the builder's ids.
foreach(package IN LISTS CPACK_PACKAGE_FILES)
  if(NOT package MATCHES "\\.tar\\.gz$")
    continue()
  endif()
  set(unpacked "${package}.unpacked")
  file(MAKE_DIRECTORY "${unpacked}")
  set(ENV{LC_ALL} C)
  execute_process(COMMAND tar -xzf "${package}" -C "${unpacked}" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(
    COMMAND tar -cf - -C "${unpacked}" --sort=name --format=gnu --mode=u=rwX,go=rX --owner=0 --group=0 --numeric-owner
      "--mtime=@$ENV{SOURCE_DATE_EPOCH}" "${CPACK_PACKAGE_FILE_NAME}"
    COMMAND gzip -9n
    OUTPUT_FILE "${package}" COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE_RECURSE "${unpacked}")
endforeach()
