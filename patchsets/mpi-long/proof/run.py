# SPDX-License-Identifier: BSD-3-Clause
"""run.py FILE: whether the table of MPI's types in ProcessGroupMPI.cpp sends each element whole where a long has 32 bits.

The table is compiled as it stands in the tree. The stand-ins for MPI's types are their sizes on 32-bit ARM.
"""
import re
import subprocess
import sys

TABLE = re.compile(r'^std::map<at::ScalarType, MPI_Datatype> mpiDatatype = \{.*?^\};\n', re.MULTILINE | re.DOTALL)

PROGRAM = '''#include <cstdio>
#include <map>
#include <string>

using MPI_Datatype = int;
enum : int {
  MPI_UNSIGNED_CHAR = 1, MPI_CHAR = 1, MPI_SIGNED_CHAR = 1, MPI_SHORT = 2, MPI_INT = 4, MPI_LONG = 4, MPI_FLOAT = 4,
  MPI_DOUBLE = 8, MPI_LONG_LONG = 8, MPI_INT64_T = 8
};
namespace at {
using ScalarType = std::string;
const ScalarType kByte = "kByte", kChar = "kChar", kShort = "kShort", kInt = "kInt", kLong = "kLong", kFloat = "kFloat",
                 kDouble = "kDouble";
}

TABLE
int main() {
  const std::map<at::ScalarType, int> sizes = {{at::kByte, 1}, {at::kChar, 1}, {at::kShort, 2}, {at::kInt, 4},
                                               {at::kLong, 8}, {at::kFloat, 4}, {at::kDouble, 8}};
  int wrong = 0;
  for (const auto& each : sizes) {
    const int sent = mpiDatatype.at(each.first);
    if (sent == each.second) continue;
    std::printf("%s is sent as %d bytes, and has %d\\n", each.first.c_str(), sent, each.second);
    ++wrong;
  }
  return wrong != 0;
}
'''

with open(sys.argv[1], encoding='utf-8') as file:
    found = TABLE.findall(file.read())
if len(found) != 1:
    sys.exit('ProcessGroupMPI.cpp: %d tables of MPI types, not 1' % len(found))
with open('program.cpp', 'w', encoding='utf-8') as file:
    file.write(PROGRAM.replace('TABLE\n', found[0]))
subprocess.run(['g++', '-std=c++14', '-o', 'program', 'program.cpp'], check=True)
sys.exit(subprocess.run(['./program']).returncode)
