
options='--engine --base --stage --build-arg --skip'

usage() {
  cat <<END
Usage: run.sh $places [OPTION…] [STEP]…

Builds $subject in a container, in stages: base, libs, tools, dev (with sources), runtime. $tree_text
WORK is a directory for the files that the stages are built from.

  --engine NAME           buildah, podman or docker; default: the first one found
  --base IMAGE            image that the first and the last stage start from; default: $base_image
  --stage NAME            build up to this stage; default: runtime
  --build-arg NAME=VALUE  MAX_JOBS, CFLAGS, CXXFLAGS or ACL (yes: the Compute Library's sources are in WORK/acl; default: $acl);
                          may be repeated
  --check                 list what this machine lacks and exit
  --skip NAME             ignore a check of build.sh; a failed check shows its name; may be repeated
  STEP                    with --stage dev: torch, vision, audio, or a part of torch: torch:configure, torch:build,
                          torch:wheel; default: all

The image is named $image_name; the image of another stage $image_name-STAGE.
END
}

find_engine() {
  if [ -n "$engine" ]; then set -- "$engine"; else set -- buildah podman docker; fi
  for name in "$@"; do
    command -v "$name" >/dev/null || continue
    engine=$name
    case $name in
      *docker) "$name" info >/dev/null 2>&1 || lack "the Docker daemon is not available: start it, or join the group 'docker'" ;;
      *) ;;
    esac
    return
  done
  lack "${engine:-buildah, podman or docker} not found: apt-get install buildah"
}

# The Compute Library is built from its sources, which no stage fetches.
find_acl() {
  case $build_arguments in
    *ACL=yes*) acl=yes ;;
    *ACL=no*) acl=no ;;
    *) ;;
  esac
  if [ "$acl" = no ] || [ -f "$work/acl/SConstruct" ]; then return; fi
  at=''
  [ -n "$acl_tag" ] || at=", at a tag that 'torchpatch show issue onednn-acl' lists"
  lack "the Compute Library's sources not found in $work/acl: git clone ${acl_tag:+--branch $acl_tag }https://github.com/ARM-software/ComputeLibrary $work/acl$at"
}

# Whether a command of a stage can be told to have no network (https://github.com/containers/buildah/pull/4566).
knows_networks() {
  case $engine in
    *buildah) least=1.30 ;;
    *podman) least=4.5 ;;
    *) return 0 ;;
  esac
  version=$("$engine" --version | sed 's/^[^0-9]*\([0-9.]*\).*/\1/')
  [ "$(printf '%s\n' "$least" "$version" | sort -V | head -n 1)" = "$least" ]
}

# The stages see the tree and nothing else of WORK.
write_ignore_file() {
  printf '%s\n' '*' '!tree' '!acl' >"$work/.dockerignore"
  mkdir -p "$work/acl"
}

# The wheels are in the stage dev alone.
copy_command() { # IMAGE
  case $engine in
    *buildah) echo "$engine run --volume \"\$PWD:/out\" \"\$($engine from $1)\" cp -r /tree/dist /out/" ;;
    *) echo "$engine run --rm --volume \"\$PWD:/out\" $1 cp -r /tree/dist /out/" ;;
  esac
}

main() {
  here=$(cd -P -- "$(dirname -- "$0")" && pwd)
  read_options "$@"
  [ -z "$components" ] || [ "$last" = dev ] || wrong_usage "a STEP builds nothing for the stage runtime: add --stage dev"
  brought=acl
  find_engine
  find_acl
  end_checks
  claim_work
  find_owner
  bring_tree
  write_ignore_file
  tag=$image_name
  [ -z "$last" ] || [ "$last" = runtime ] || tag=$image_name-$last
  cp "$here/Containerfile" "$work/Containerfile"
  if ! knows_networks; then
    say "this $engine cannot cut off a build's network (Buildah 1.30 and Podman 4.5 can): build.sh reports whether it could"
    sed -i 's/^RUN --network=none /RUN /' "$work/Containerfile"
  fi
  set -- --file "$work/Containerfile" --build-arg "BASE=${base:-$base_image}" --target "${last:-runtime}" --tag "$tag"
  [ -z "$components" ] || set -- "$@" --build-arg "STEPS=$components"
  [ -z "$skipped" ] || set -- "$@" --build-arg "SKIP=$skipped"
  eval "set -- \"\$@\" $build_arguments"
  # Buildah keeps the layers of stages that are built only when told to, unlike podman and docker.
  BUILDAH_LAYERS=true "$engine" build "$@" "$work" || fail "$engine failed to build the stage '${last:-runtime}'"
  say "built the image $tag"
  [ "${last:-runtime}" != dev ] || say "to copy its wheels to ./dist: $(copy_command "$tag")"
}

main "$@"
