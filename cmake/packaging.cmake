# cpack writes a .deb and a .tar.gz; the same commit gives the same bytes (see packaging/).
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME torchpatch)
set(CPACK_PACKAGE_VENDOR "torchpatch contributors")
set(CPACK_PACKAGE_CONTACT "torchpatch contributors <torchpatch@example.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
  "Prepares PyTorch source trees for boards such as the Jetson TX2: pinned commits with every submodule, exactly the fixes
that the board needs, and a manifest that lets anyone check, offline and years later, that the tree is still that tree.")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_FILE_NAME "torchpatch-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}")

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS git)

set(CPACK_PROJECT_CONFIG_FILE "${PROJECT_SOURCE_DIR}/packaging/config.cmake")
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/packaging/permissions.cmake")
set(CPACK_POST_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/packaging/repack.cmake")
set(CPACK_TORCHPATCH_SOURCE_DIR "${PROJECT_SOURCE_DIR}")
set(CPACK_TORCHPATCH_PROGRAM "${PROJECT_BINARY_DIR}/bin/torchpatch")
include(CPack)
