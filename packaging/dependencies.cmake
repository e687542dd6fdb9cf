# What the .deb needs, as dpkg-shlibdeps says. CPACK_DEBIAN_PACKAGE_SHLIBDEPS would start file(1) for each of our thousand
# data files to find the one program.
if(CPACK_GENERATOR STREQUAL DEB)
  set(scratch "${CPACK_PACKAGE_DIRECTORY}/_CPack_Packages/shlibdeps")
  file(MAKE_DIRECTORY "${scratch}/debian")
  file(WRITE "${scratch}/debian/control" "")
  execute_process(COMMAND dpkg-shlibdeps -O "${CPACK_TORCHPATCH_PROGRAM}" WORKING_DIRECTORY "${scratch}"
    OUTPUT_VARIABLE shlibs OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "shlibs:Depends=" "" shlibs "${shlibs}")
  # shlibdeps knows the oldest libgit2 with our symbols; of Debian 12's this one has the security fixes.
  if(shlibs MATCHES "libgit2-1[.]5 ")
    string(APPEND shlibs ", libgit2-1.5 (>= 1.5.1+ds-1+deb12u2)")
  endif()
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "${shlibs}")
endif()
