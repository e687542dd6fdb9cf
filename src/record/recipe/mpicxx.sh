# Answers as Open MPI's wrapper, which runs on the board alone, does to FindMPI and to who compiles with it.
openmpi=/usr/lib/$triplet/openmpi
libraries=''
if [ -d "/sysroot$openmpi" ]; then
  openmpi=/sysroot$openmpi
  libraries="-L$openmpi/lib "
fi
libraries="$libraries-lmpi"
[ ! -e "$openmpi/lib/libmpi_cxx.so" ] || libraries="$libraries -lmpi_cxx"
case ${1:-} in
  -showme:compile) echo "-I$openmpi/include" ;;
  -showme:link) echo "$libraries" ;;
  *)
    # shellcheck disable=SC2086  # words
    exec "$triplet-g++" "-I$openmpi/include" "$@" $libraries
    ;;
esac
