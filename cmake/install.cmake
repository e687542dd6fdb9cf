# What `cmake --install` writes; all of it may be moved to another prefix afterwards.
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

# Manual pages and completions: the program writes them itself.
set(generated "${PROJECT_BINARY_DIR}/generated")
set(completions bash zsh fish)
list(TRANSFORM completions PREPEND "${generated}/completion." OUTPUT_VARIABLE completion_files)
file(MAKE_DIRECTORY "${generated}")
set(write_completions)
foreach(shell IN LISTS completions)
  list(APPEND write_completions COMMAND torchpatch completion ${shell} > "${generated}/completion.${shell}")
endforeach()
add_custom_command(OUTPUT ${completion_files} "${generated}/man.stamp"
  ${write_completions}
  COMMAND torchpatch man --directory "${generated}/man"
  COMMAND "${CMAKE_COMMAND}" -E touch "${generated}/man.stamp"
  DEPENDS torchpatch
  COMMENT "Writing manual pages and completions" VERBATIM)
add_custom_target(generated_files ALL DEPENDS ${completion_files} "${generated}/man.stamp")

install(TARGETS torchpatch)
foreach(directory releases boards known_issues patchsets results layers)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${directory}" DESTINATION "${CMAKE_INSTALL_DATADIR}/torchpatch" OPTIONAL)
endforeach()
install(FILES moved_repositories.json variables.json cores.json platforms.json libraries.tsv stable_abi.tsv build_sizes.json evidence.json advisories.json DESTINATION "${CMAKE_INSTALL_DATADIR}/torchpatch")
install(DIRECTORY "${generated}/man/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
install(FILES "${generated}/completion.bash" RENAME torchpatch
  DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES "${generated}/completion.zsh" RENAME _torchpatch
  DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
install(FILES "${generated}/completion.fish" RENAME torchpatch.fish
  DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
install(FILES README.md CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES LICENSE RENAME copyright DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}/docs")
