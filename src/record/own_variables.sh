# This script's own variables have small letters, those of a build capitals: so none of the former comes from the environment, nor
# goes there. Only the proxies have small letters, too. bash outside of its POSIX mode prints "declare".
for name in $(export -p | LC_ALL=C sed -n -e 's/^export \([a-z][a-z0-9_]*\)=.*/\1/p' -e 's/^declare -x \([a-z][a-z0-9_]*\)=.*/\1/p'); do
  case $name in *_proxy) ;; *) unset "$name" ;; esac
done
