// SPDX-License-Identifier: BSD-3-Clause
// --board auto and --image auto on machines of which only the files are there.
#include "support/catch.h"
#include "support/fake_host.h"
#include "support/run_cli.h"
#include "support/source_directory.h"
#include "support/text.h"

using namespace torchpatch;
using test::CliResult;

namespace {

constexpr const char* kModel = "proc/device-tree/model";
constexpr const char* kCompatible = "proc/device-tree/compatible";
constexpr const char* kL4t = "etc/nv_tegra_release";

std::string os_release(const std::string& id, const std::string& version) {
  return concat("ID=", id, "\nVERSION_ID=\"", version, "\"\n");
}

std::string l4t(int release, const std::string& revision) {
  return concat("# R", release, " (release), REVISION: ", revision, ", GCID: 1, BOARD: t186ref, EABI: aarch64\n");
}

/// The shipped catalog, and a machine of aarch64 with Ubuntu 18.04 and 8 GiB.
struct OnBoard : test::TestWorkspace {
  OnBoard() {
    set_variable("TORCHPATCH_DATA", test::source_directory());
    set_variable("PATH", host.path() + ":/usr/bin:/bin");
    set_root(host.root());
  }
  CliResult explain(std::vector<std::string> args = {}) const {
    args.insert(args.begin(), {"explain", "--version", "1.8.1", "--board", "auto", "--json"});
    return run(args);
  }
  /// The lines about board and image, or the error.
  std::string found(const std::vector<std::string>& args = {}) const {
    const CliResult result = explain(args);
    CHECK(result.exit_code == (result.err.find("torchpatch: error") != std::string::npos ? 7 : 0));
    return result.err;
  }
  void be_tx2() const {
    host.write(kCompatible, std::string("nvidia,quill\0nvidia,tegra186\0", 29));
    host.write(kL4t, l4t(32, "7.1"));
  }
  test::FakeHost host;
};

}  // namespace

TEST_CASE("auto: a Raspberry Pi 4, from its device tree and system") {
  const OnBoard on;
  on.host.write(kModel, std::string("Raspberry Pi 4 Model B Rev 1.4\0", 31));
  on.host.write("etc/os-release", os_release("debian", "12"));
  on.host.write("etc/rpi-issue", "Raspberry Pi reference 2023-12-05\n");
  const CliResult plan = on.run({"explain", "--version", "2.1.0", "--board", "auto", "--json"});
  CHECK(plan.err ==
        "board: rpi4, from /proc/device-tree/model 'Raspberry Pi 4 Model B Rev 1.4'\n"
        "image: raspios-12-64, from system raspios-12, aarch64\n");
  CHECK_THAT(plan.out, Catch::Contains("\"board\": \"rpi4\",\n  \"image\": \"raspios-12-64\""));
  on.host.tool("getconf", "case $1 in LONG_BIT) echo 32 ;; esac");
  CHECK_THAT(on.run({"explain", "--version", "2.1.0", "--board", "auto"}).err,
             Catch::Contains("image: raspios-12-32, from system raspios-12, armv7l\n"));
  on.host.remove("../root/etc/rpi-issue");
  on.host.tool("getconf", "case $1 in LONG_BIT) echo 64 ;; esac");
  CHECK_THAT(on.run({"explain", "--version", "2.1.0", "--board", "auto"}).err,
             Catch::Contains("image: debian-12, from system debian-12, aarch64\n"));
}

TEST_CASE("auto: a Jetson, from its device tree and L4T") {
  const OnBoard on;
  on.be_tx2();
  CHECK(on.found() ==
        "board: tx2, from /proc/device-tree/compatible 'nvidia,quill'\n"
        "image: jetpack-4.6, from /etc/nv_tegra_release '# R32 (release), REVISION: 7.1, GCID: 1, BOARD: t186ref, "
        "EABI: aarch64' and system ubuntu-18.04, aarch64\n");
  CHECK(on.found({"--image", "jetpack-4.5"}) ==
        "board: tx2, from /proc/device-tree/compatible 'nvidia,quill'\n");  // a named image stays
  on.host.write(kL4t, l4t(32, "4.3"));
  CHECK_THAT(on.run({"explain", "--version", "1.8.1", "--board", "tx2", "--image", "auto", "--json"}).err,
             Catch::StartsWith("image: jetpack-4.4, from "));
}

TEST_CASE("auto: memory tells modules with one device tree apart") {
  const OnBoard on;
  on.host.write(kCompatible, std::string("nvidia,p3450-0000\0nvidia,tegra210\0", 34));
  on.host.write(kL4t, l4t(32, "7.1"));
  on.host.write("proc/meminfo", "MemTotal: 4059300 kB\n");
  CHECK_THAT(on.found(), Catch::StartsWith("board: jetson-nano, from "));
  on.host.write("proc/meminfo", "MemTotal: 2027900 kB\n");
  CHECK_THAT(on.found(), Catch::StartsWith("board: jetson-nano-2gb, from "));
  on.host.write("proc/meminfo", "MemTotal: 9000000 kB\n");
  CHECK_THAT(on.found(), Catch::StartsWith("torchpatch: error: --board auto: the evidence disagrees: jetson-nano, "));
}

TEST_CASE("auto: a server, from the part number of its cores and its vendor") {
  const OnBoard on;
  on.host.write("proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n");
  on.host.write("etc/os-release", os_release("ubuntu", "20.04"));
  CHECK(on.found() ==
        "board: neoverse-n1, from /proc/cpuinfo 'CPU part\\t: 0xd0c'\n"
        "image: ubuntu-20.04, from system ubuntu-20.04, aarch64\n");
  on.host.write("sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
  on.host.write("etc/os-release", os_release("amzn", "2"));
  CHECK(on.found() ==
        "board: graviton2, from /proc/cpuinfo 'CPU part\\t: 0xd0c' and /sys/class/dmi/id/sys_vendor 'Amazon EC2'\n"
        "image: amazon-linux-2, from system amazon-linux-2, aarch64\n");
}

TEST_CASE("auto: what is not recognised is refused with what was found") {
  const OnBoard on;
  CHECK(on.found() ==
        "torchpatch: error: --board auto: found no board of the catalog: system ubuntu-18.04, aarch64\n"
        "hint: name them: --board BOARD ('torchpatch list boards') --image IMAGE\n");
  on.host.write(kModel, "linux,dummy-virt");
  on.host.write(kCompatible, std::string("linux,dummy-virt\0", 17));
  CHECK_THAT(on.found(), Catch::Contains("found no board of the catalog: /proc/device-tree/model 'linux,dummy-virt'; "
                                         "/proc/device-tree/compatible 'linux,dummy-virt'; system ubuntu-18.04"));
  on.host.write("proc/device-tree/chosen/pynq_board", std::string("Pynq-Z2\0", 8));
  on.host.tool("uname", "echo armv7l");
  CHECK(on.found() ==
        "board: pynq-z2, from /proc/device-tree/chosen/pynq_board 'Pynq-Z2'\n"
        "torchpatch: error: --image auto: cannot distinguish pynq-2.3, pynq-2.4, pynq-2.5, pynq-2.6 by system "
        "ubuntu-18.04, armv7l\n"
        "hint: name them: --board pynq-z2 --image pynq-2.6\n");
}

TEST_CASE("auto: sources that disagree are refused, each with its evidence") {
  const OnBoard on;
  on.be_tx2();
  on.host.write(kModel, "Raspberry Pi 4 Model B Rev 1.4");
  CHECK(on.found() ==
        "torchpatch: error: --board auto: the evidence disagrees: rpi4, from /proc/device-tree/model 'Raspberry Pi 4 "
        "Model B Rev 1.4'; tx2, from /proc/device-tree/compatible 'nvidia,quill'\n"
        "hint: name them: --board rpi4 --image IMAGE\n");
  on.host.write(kModel, "quill");
  on.host.write("etc/os-release", os_release("ubuntu", "20.04"));
  CHECK_THAT(on.found(), Catch::EndsWith("torchpatch: error: --image auto: board 'tx2' has no image like this one: "
                                         "system ubuntu-20.04, aarch64; /etc/nv_tegra_release '# R32 (release), "
                                         "REVISION: 7.1, GCID: 1, BOARD: t186ref, EABI: aarch64' is jetpack-4.6, which "
                                         "has ubuntu-18.04\n"
                                         "hint: name them: --board tx2 --image IMAGE ('torchpatch show board tx2')\n"));
}

TEST_CASE("auto: containers, chroots and emulated processors are refused with the evidence") {
  const auto refusal = [](const std::string& file, const std::string& bytes, const std::string& more = "") {
    const OnBoard on;
    on.be_tx2();
    if (!more.empty()) on.host.write("proc/1/mountinfo", more);
    on.host.write(file, bytes);
    return on.found();
  };
  const std::string hint = "\nhint: name them: --board BOARD --image IMAGE\n";
  const std::string lead = "torchpatch: error: --board auto: this ";
  CHECK(refusal(".dockerenv", "") == lead + "is a container: it has /.dockerenv" + hint);
  CHECK(refusal("run/.containerenv", "") == lead + "is a container: it has /run/.containerenv" + hint);
  CHECK(refusal("proc/1/cgroup", "0::/system.slice/docker-1.scope\n") ==
        lead + "is a container: /proc/1/cgroup '0::/system.slice/docker-1.scope'" + hint);
  const std::string whole = "26 1 179:2 / / rw - ext4 /dev/root rw\n";
  CHECK(refusal("proc/self/mountinfo", "26 1 179:2 /srv/root / rw - ext4 /dev/root rw\n", whole) ==
        lead + "is a chroot: '/' is '179:2 /srv/root', that of process 1 '179:2 /'" + hint);
  CHECK(refusal("proc/self/mountinfo", "30 1 0:4 / /proc rw - proc proc rw\n", whole) ==
        lead + "is a chroot: '/' is not mounted, that of process 1 '179:2 /'" + hint);
  CHECK_THAT(refusal("proc/self/mountinfo", whole, whole), Catch::StartsWith("board: tx2"));
  CHECK(refusal("proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\n") ==
        lead + "processor is emulated: aarch64, but /proc/cpuinfo 'vendor_id\\t: GenuineIntel'" + hint);
}

TEST_CASE("doctor: without a release it compares the board that it runs on") {
  const OnBoard on;
  on.be_tx2();
  const CliResult result = on.run({"doctor"});
  CHECK_THAT(result.err, Catch::StartsWith("board: tx2, from "));
  CHECK_THAT(result.err, Catch::Contains("is the newest certified one that fits board 'tx2' with image 'jetpack-4.6'"));
  CHECK_THAT(result.out, Catch::Contains("for tx2 (jetpack-4.6)"));
  CHECK_THAT(on.run({"doctor", "--version", "1.8.1"}).out, Catch::StartsWith("PyTorch 1.8.1, built on this host\n"));
}
