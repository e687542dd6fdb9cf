# importlib.metadata came with Python 3.8; check.sh asks in the same way. Prints a line a package: name, version.
import sys
try:
    from importlib.metadata import version
except ImportError:
    from pkg_resources import get_distribution
    version = lambda name: get_distribution(name).version
for name in sys.argv[1:]:
    try:
        print(name + " " + version(name))
    except Exception:
        print(name + " none")
