// SPDX-License-Identifier: BSD-3-Clause
#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/fake_host.h"
#include "support/program.h"
#include "support/text.h"

using namespace torchpatch;
using test::CliResult;

namespace {

/// The toy catalog and a machine that may build it: Python 3.5, as its release wants.
struct Clinic : test::ToyWorkspace {
  Clinic() {
    host.tool("python3", "case $2 in *sys.version_info*) echo 3.5.2 ;; esac");
    set_variable("PATH", host.path());
    replace_in_output(host.root(), "$ROOT");
  }
  CliResult doctor(std::vector<std::string> args) const {
    args.insert(args.begin(), "doctor");
    args.insert(args.end(), {"--root", host.root()});
    return run(args);
  }
  test::FakeHost host;
};

}  // namespace

TEST_CASE("doctor: --version newest is settled by the board, an unknown release names those that fit it") {
  const Clinic clinic;
  CHECK_THAT(clinic.doctor({"--version", "newest", "--board", "plain"}).err,
             Catch::StartsWith("release 1.1.0 is the newest certified one that fits board 'plain'\n"));
  CHECK(clinic.doctor({"--version", "newest"}).exit_code == 2);
  CHECK(clinic.doctor({"--version", "3.1.0", "--board", "plain"}).err ==
        "torchpatch: error: unknown release '3.1.0'\n"
        "hint: 'torchpatch list releases' lists them; releases that fit board 'plain': 1.1.0\n");
}

TEST_CASE("doctor: a host within the bounds") {
  const Clinic clinic;
  const CliResult result = clinic.doctor({"--version", "1.1.0"});
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  CHECK_THAT(result.out, Catch::StartsWith("PyTorch 1.1.0, built on this host\n"
                                           "  system  aarch64, ubuntu-18.04, 4 processors\n"
                                           "  memory  8192 MiB, swap 2048 MiB, free disk "));
  CHECK_THAT(result.out, Catch::Contains("\n  CPU     asimd\n"));
  CHECK_THAT(result.out, Catch::Contains("\n  OK   cmake: found 3.10.2, need <4 (release 1.1.0)\n"));
  CHECK_THAT(result.out, Catch::Contains("\n  jobs    MAX_JOBS=4 (rule of thumb: one compile job for every 2048 MiB of "
                                         "memory and swap, at most one per CPU)\n"));
  CHECK_THAT(result.out, Catch::EndsWith("\nOK, no known problem\n"));
}

TEST_CASE("doctor: exit code 1 where something will fail") {
  const Clinic clinic;
  clinic.host.tool("cmake", "echo cmake version 4.0.1");
  clinic.host.remove("python3");
  const CliResult result = clinic.doctor({"--version", "1.1.0"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Catch::Contains("\n  FAIL python: not found, need 3.5 (release 1.1.0)\n"
                                         "      do: use another one: PYTHON=python3.x, for doctor and for the build\n"
                                         "  FAIL cmake: found 4.0.1, need <4 (release 1.1.0)\n"
                                         "      do: python3 -m pip install 'cmake<4'\n"));
  CHECK_THAT(result.out, Catch::EndsWith("\n2 things will fail\n"));
}

TEST_CASE("doctor: a system without certificate authorities is told by whose https goes") {
  Clinic clinic;
  const std::string certificate = "-----BEGIN CERTIFICATE-----\n";
  CHECK_THAT(clinic.doctor({"--version", "1.1.0"}).out,
             Catch::Contains("\n  note: this system has no certificate authorities: https:// needs SSL_CERT_FILE\n"));
  write_file_atomically(clinic.upstream.catalog_directory() + "/ca-certificates.crt",
                        "# Mozilla's list of 2023\n" + certificate);
  CHECK_THAT(clinic.doctor({"--version", "1.1.0"}).out,
             Catch::Contains("\n  note: this system has no certificate authorities; https:// uses Mozilla's list of "
                             "2023\n"));
  make_directories(clinic.host.root() + "/etc/ssl/certs");
  write_file_atomically(clinic.host.root() + "/etc/ssl/certs/ca-certificates.crt", "");  // of no use
  CHECK_THAT(clinic.doctor({"--version", "1.1.0"}).out, Catch::Contains("https:// uses Mozilla's list"));
  write_file_atomically(clinic.host.root() + "/etc/ssl/certs/ca-certificates.crt", certificate);
  CHECK_THAT(clinic.doctor({"--version", "1.1.0"}).out, !Catch::Contains("certificate"));
  write_file_atomically(clinic.host.root() + "/etc/ssl/certs/ca-certificates.crt", "");
  clinic.set_variable("SSL_CERT_FILE", "/of/ours");
  CHECK_THAT(clinic.doctor({"--version", "1.1.0"}).out, !Catch::Contains("certificate"));
}

TEST_CASE("doctor: JSON") {
  const Clinic clinic;
  clinic.host.tool("cmake", "echo cmake version 4.0.1");
  const CliResult result = clinic.doctor({"--version", "1.1.0", "--json"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Catch::StartsWith("{\n  \"schema\": 1,\n  \"ok\": false,\n  \"release\": \"1.1.0\""));
  CHECK_THAT(result.out, Catch::Contains(R"(    {
      "name": "cmake",
      "found": "4.0.1",
      "bound": "<4",
      "source": "release 1.1.0",
      "verdict": "too_new",
      "fails": true,
      "issue": null,
      "shows": null,
      "advice": "python3 -m pip install 'cmake<4'"
    },
)"));
  CHECK_THAT(result.out, Catch::Contains(R"(      "id": "quiet",
      "title": "Issue quiet",
      "severity": "runtime-failure",
      "outcome": "handled",)"));
  CHECK_THAT(result.out, Catch::Contains("\"max_jobs\": 4,\n  \"mib_per_job\": 2048,"));
}

TEST_CASE("doctor: a prepared tree, or its manifest alone") {
  const Clinic clinic;
  clinic.upstream.certify();
  const CliResult prepared = clinic.run({"prepare", "--version", "1.1.0", "--board", "plain", "--mirror",
                                         clinic.upstream.mirror(), "--output", clinic.path("out"), "--quiet"});
  INFO(prepared.err);
  REQUIRE(prepared.exit_code == 0);
  const CliResult tree = clinic.doctor({clinic.path("out")});
  CHECK_THAT(tree.out, Catch::StartsWith("PyTorch 1.1.0 for plain ("));
  CHECK_THAT(tree.out, Catch::Contains("cmake: found 3.10.2, need <4 (manifest)\n"));
  const CliResult manifest = clinic.doctor({"--manifest", clinic.path("out/torchpatch/manifest.json"), "--json"});
  CHECK(manifest.exit_code == tree.exit_code);
  CHECK_THAT(manifest.out, Catch::Contains("\"board\": \"plain\""));
}

TEST_CASE("doctor: prints what check.sh of the tree prints, from the same findings") {
  test::ToyWorkspace workspace;
  const std::string path = "/usr/local/bin:/usr/bin:/bin";
  workspace.set_variable("PATH", path);
  workspace.set_variable("CC", "false");
  workspace.upstream.certify();
  REQUIRE(workspace
              .run({"prepare", "--version", "1.1.0", "--board", "plain", "--mirror", workspace.upstream.mirror(),
                    "--output", workspace.path("out"), "--quiet"})
              .exit_code == 0);
  ProgramRun check;
  check.argv = {"/bin/sh", workspace.path("out/torchpatch/check.sh")};
  check.environment = {{"CC", "false"}, {"PATH", path}, {"COLUMNS", "9999"}};
  const std::string checked = run_program(check).out, doctor = workspace.run({"doctor", workspace.path("out")}).out;
  std::size_t count = 0, place = 0;
  for (const std::string& line : split(checked, '\n')) {
    if (!starts_with(line, "FAIL ") && !starts_with(line, "WARN ") && !starts_with(line, "OK ")) continue;
    if (starts_with(line, "OK   disk")) continue;  // it changes meanwhile
    const std::size_t at = doctor.find(concat("\n  ", line.substr(0, line.find("; known issue")), "\n"));
    INFO(line << "\n" << doctor);
    REQUIRE(at != std::string::npos);
    CHECK(at > place);  // in the same order
    place = at;
    ++count;
  }
  CHECK(count > 5);
  CHECK_THAT(doctor,
             Catch::Contains("\n  FAIL flags: not found, need a compiler that accepts CFLAGS and CXXFLAGS "
                             "(build.env)\n      do: use flags that this compiler accepts, or another compiler\n"));
}

TEST_CASE("doctor: names the command that installs what is missing, as check.sh does") {
  test::ToyWorkspace workspace;
  workspace.upstream.certify();
  REQUIRE(workspace
              .run({"prepare", "--version", "1.1.0", "--board", "plain", "--mirror", workspace.upstream.mirror(),
                    "--output", workspace.path("out"), "--quiet"})
              .exit_code == 0);
  const test::FakeHost host;
  host.tool("python3", "case $2 in *version_info*) echo 3.5.2 ;; *) exit 1 ;; esac");
  host.tool("id", "echo 0");
  workspace.set_variable("PATH", host.path() + ":/usr/bin:/bin");
  const CliResult text = workspace.run({"doctor", workspace.path("out")});
  CHECK_THAT(text.out, Catch::Contains("\nto install what is missing, as root\n  apt-get install --yes "));
  CHECK_THAT(workspace.run({"doctor", workspace.path("out"), "--json"}).out,
             Catch::Contains("\"user\": \"root\",\n      \"command\": \"apt-get install --yes "));
}

TEST_CASE("doctor: refuses what does not go together") {
  const Clinic clinic;
  const auto error = [&](const std::vector<std::string>& args, int code = 2) {
    const CliResult result = clinic.doctor(args);
    CHECK(result.exit_code == code);
    return result.err.substr(0, result.err.find('\n'));
  };
  CHECK_THAT(error({}, 7), Catch::StartsWith("torchpatch: error: --board auto: found no board of the catalog: "));
  CHECK(error({"out", "--version", "1.1.0"}) == "torchpatch: error: --version and a manifest cannot be used together");
  CHECK(error({"out", "--manifest", "m"}) == "torchpatch: error: a directory and --manifest cannot be used together");
  CHECK(error({"out", "--board", "small"}) ==
        "torchpatch: error: --board, --image and --set need --version; a manifest contains them");
  CHECK(error({"--version", "1.1.0", "--image", "i"}) == "torchpatch: error: --image needs --board");
  CHECK(error({clinic.path("out")}, 7) == "torchpatch: error: reading the prepared tree '$TMP/out': no such directory");
  CHECK(error({"--version", "1.1.0", "--set", "gcc=new"}) ==
        "torchpatch: error: --set gcc: 'new' is not a version such as 7.5 or none");
}
