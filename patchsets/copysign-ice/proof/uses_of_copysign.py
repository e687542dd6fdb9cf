# SPDX-License-Identifier: BSD-3-Clause
"""Lists the lines of files that call std::copysign: uses_of_copysign.py FILE…; exit code 1 where there are any."""
import sys

found = 0
for path in sys.argv[1:]:
    with open(path) as file:
        for number, line in enumerate(file, 1):
            if 'std::copysign(' in line:
                found += 1
                print('%s:%d uses std::copysign' % (path, number))
sys.exit(1 if found else 0)
