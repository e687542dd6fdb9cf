# SPDX-License-Identifier: BSD-3-Clause
"""run.py TENSORPIPE_AGENT_CPP: whether updateGroupMembership() removes the device maps of a worker that leaves.

The function is compiled as it stands, with a stand-in for the agent, and with libstdc++'s checks of iterators.
"""
import re
import subprocess
import sys

PROGRAM = '''#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_map>
#include <vector>
namespace c10 { using Device = int; }
using DeviceMap = int;
using worker_id_t = int;
struct WorkerInfo {
  std::string name_;
  worker_id_t id_;
};
struct GroupMembershipLockGuard {
  GroupMembershipLockGuard(int, bool) {}
};
struct TensorPipeAgent {
  struct Store {
    std::string get(const std::string& name) { return name; }
  } nameToAddressStore_;
  int groupMembershipMutex_ = 0;
  bool isStaticGroup_ = false;
  std::unordered_map<worker_id_t, WorkerInfo> workerIdToInfo_;
  std::unordered_map<std::string, WorkerInfo> workerNameToInfo_;
  std::unordered_map<std::string, std::string> workerNameToURL_;
  std::unordered_map<std::string, DeviceMap> reverseDeviceMaps_;
  std::vector<c10::Device> devices_;
  void updateGroupMembership(const WorkerInfo&, const std::vector<c10::Device>, const std::unordered_map<std::string, DeviceMap>, bool);
};
FUNCTION
int main() {
  TensorPipeAgent agent;
  std::unordered_map<std::string, DeviceMap> all, kept;
  for (int i = 0; i < 20; ++i) {
    all[std::to_string(i)] = i;
    if (i % 3 == 0) kept[std::to_string(i)] = i;
  }
  agent.updateGroupMembership({"a", 0}, {1, 2}, all, true);
  agent.updateGroupMembership({"a", 0}, {2}, kept, false);
  if (agent.reverseDeviceMaps_ == kept && agent.devices_ == std::vector<c10::Device>{2}) return 0;
  std::puts("wrong maps are left");
  return 1;
}
'''

with open(sys.argv[1], encoding='utf-8') as file:
    found = re.findall(r'^void TensorPipeAgent::updateGroupMembership\(.*?^\}\n', file.read(), re.MULTILINE | re.DOTALL)
if len(found) != 1:
    sys.exit('tensorpipe_agent.cpp: %d functions updateGroupMembership, not 1' % len(found))
with open('program.cpp', 'w', encoding='utf-8') as file:
    file.write(PROGRAM.replace('FUNCTION', found[0]))
subprocess.check_call(['g++', '-std=c++14', '-w', '-D_GLIBCXX_DEBUG', '-o', 'program', 'program.cpp'])
sys.exit(subprocess.call(['./program']) != 0)
