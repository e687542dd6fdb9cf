# nvcc runs on this machine, with a compiler for the board. FindCUDA of torch, which knows nothing of Debian's places, has all of CUDA in
# one folder, which is not on the board: no library looks there.
set(CUDA_TOOLKIT_ROOT_DIR /usr/local/cuda CACHE PATH "")
set(CUDA_HOST_COMPILER /usr/bin/${triplet}-g++@COMPILER@ CACHE FILEPATH "")
set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)
set(CMAKE_CUDA_HOST_COMPILER /usr/bin/${triplet}-g++@COMPILER@)
set(CMAKE_CUDA_ARCHITECTURES @ARCHITECTURE@)
list(APPEND CMAKE_PLATFORM_IMPLICIT_LINK_DIRECTORIES /usr/local/cuda/targets/aarch64-linux/lib
  /usr/local/cuda/targets/aarch64-linux/lib/stubs)
