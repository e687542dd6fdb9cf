// SPDX-License-Identifier: BSD-3-Clause
#include "support/fake_host.h"

#include <filesystem>

namespace torchpatch::test {

FakeHost::FakeHost() {
  write("etc/os-release", "NAME=\"Ubuntu\"\nID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"18.04\"\n");
  write("proc/meminfo", "MemTotal:        8388608 kB\nMemFree:          100 kB\nSwapTotal:       2097152 kB\n");
  write("proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd evtstrm aes\n\nprocessor\t: 1\nFeatures\t: fp\n");
  tool("uname", "echo aarch64");
  tool("getconf",
       "case $1 in LONG_BIT) echo 64 ;; _NPROCESSORS_ONLN) echo 4 ;; GNU_LIBC_VERSION) echo glibc 2.27 ;; esac");
  tool("gcc", "echo 7.5.0");
  tool("cmake", "echo cmake version 3.10.2; echo; echo 'CMake suite maintained'");
  tool("ninja", "echo 1.8.2");
  tool("python3", "case $2 in *sys.version_info*) echo 3.6.9 ;; *) echo numpy 1.19.5; echo setuptools none ;; esac");
}

void FakeHost::write(const std::string& name, const std::string& bytes) const {
  const std::string file = root() + "/" + name;
  make_directories(parent_path(file));
  write_file_atomically(file, bytes);
}

void FakeHost::tool(const std::string& name, const std::string& script) const {
  make_directories(path());
  write_file_atomically(path() + "/" + name, "#!/bin/sh\n" + script + "\n");
  std::filesystem::permissions(path() + "/" + name, std::filesystem::perms::owner_all);
}

void FakeHost::remove(const std::string& tool) const { remove_tree(path() + "/" + tool); }

}  // namespace torchpatch::test
