# SPDX-License-Identifier: BSD-3-Clause
"""Prepares one small release over every transport; see transports.sh, which runs this. Each test is a method."""
import json
import os
import random
import shutil
import subprocess
import sys
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "hostile"))

import catalog  # noqa: E402
import invariants  # noqa: E402
from objects import MODES, Repository  # noqa: E402
from real_servers import CuttingRelay, Proxy, Servers  # noqa: E402

RECORDED = "https://example.org/hostile/"
OK, USAGE, SOURCE, UNSAFE = 0, 2, 4, 6
SECRETS = ("s3cret", "pr0xyword")


class World:
    """The release torch with a submodule of a relative URL, its servers, and a home that each test starts anew."""

    def __init__(self, work):
        self.work = work
        self.home = os.environ["HOME"]
        root = self.at("repositories")
        module = Repository(root + "/s.git")
        torch = Repository(root + "/torch.git")
        commit = module.commit(module.tree([(MODES["file"], b"in", module.blob(b"sub\n"))]))
        modules = torch.blob(b'[submodule "s"]\n\tpath = s\n\turl = ../s.git\n')
        tree = torch.tree([(MODES["file"], b".gitmodules", modules), (MODES["file"], b"f", torch.blob(b"fine\n" * 1000)),
                           (MODES["gitlink"], b"s", commit)])
        self.commit = torch.commit(tree)
        module.branch("main", commit)
        torch.branch("main", self.commit)
        torch.known.update(module.known)
        self.files = torch.files(tree)
        catalog.write_base(self.at("base"))
        catalog.write_json(self.at("catalog/releases/%s.json" % catalog.VERSION),
                           catalog.release(self.commit, RECORDED + "torch.git"))
        os.makedirs(self.at("servers"))
        self.servers = Servers(self.at("servers"), root)
        self.port = self.servers.port

    def at(self, *names):
        return os.path.join(self.work, *names)

    def write_large(self):
        """A catalog whose release has 600 files that do not compress; returns its files."""
        torch = Repository(self.at("repositories", "large.git"))
        blobs = [(MODES["file"], b"%03d" % i, torch.blob(random.Random(i).randbytes(2000))) for i in range(600)]
        tree = torch.tree(blobs)
        commit = torch.commit(tree)
        torch.branch("main", commit)
        catalog.write_json(self.at("large catalog/releases/%s.json" % catalog.VERSION), catalog.release(commit, RECORDED + "large.git"))
        return torch.files(tree)

    def url(self, scheme, path="git/", server=None):
        return "%s://127.0.0.1:%d/%s" % (scheme, self.port[server or scheme], path)

    def renew(self):
        """Forgets what the last run fetched and what the last test configured."""
        for name in ("out", "cache", "state", "moved"):
            shutil.rmtree(self.at(name), ignore_errors=True)
        shutil.rmtree(self.home)
        os.makedirs(self.home + "/.ssh", 0o700)

    def write_home(self, name, text):
        with open(os.path.join(self.home, name), "w") as file:
            file.write(text)
        os.chmod(os.path.join(self.home, name), 0o600)

    def run(self, *options, **variables):
        """Runs prepare; `base` of `variables` is where RECORDED is fetched from."""
        base = variables.pop("base", None)
        layer = variables.pop("layer", "catalog")
        argv = [os.environ["TORCHPATCH"], "prepare", "--version", catalog.VERSION, "--board", catalog.BOARD, "--catalog",
                self.at(layer), "--output", self.at("out"), "--jobs", "1", *(() if "--retries" in options else ("--retries", "0")), *options]
        if base:
            argv += ["--url-map", "%s=%s" % (RECORDED, base)]
        environment = {"PATH": os.environ["PATH"], "HOME": self.home, "XDG_CACHE_HOME": self.at("cache"),
                       "XDG_STATE_HOME": self.at("state"), "TORCHPATCH_DATA": self.at("base"), "LC_ALL": "C.UTF-8", **variables}
        result = subprocess.run(argv, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                timeout=60, cwd=self.work, text=True)
        self.check_secrets(result.stdout + result.stderr)
        return result

    def check_secrets(self, printed):
        kept = [os.path.join(directory, name) for place in ("out", "cache", "state") for directory, _, names in os.walk(self.at(place))
                for name in names]
        texts = [printed] + [open(path, "rb").read().decode("latin-1") for path in kept]
        for secret in SECRETS:
            assert not any(secret in text for text in texts), "a secret was printed or kept"

    def prepares(self, *options, **variables):
        result = self.run(*options, **variables)
        assert result.returncode == OK, result.stderr
        problems = invariants.check_files(self.at("out", "pytorch"), self.files)
        assert not problems, problems
        with open(self.at("out", "torchpatch", "manifest.json")) as file:
            urls = [repository["url"] for repository in json.load(file)["repositories"]]
        assert urls == [RECORDED + "torch.git", RECORDED + "s.git"], urls
        return result

    def fails(self, status, *says, options=(), **variables):
        result = self.run(*options, **variables)
        assert result.returncode == status, (result.returncode, result.stderr)
        for needle in says:
            assert needle in result.stderr, "no %r in: %s" % (needle, result.stderr)
        assert not os.path.exists(self.at("out")), "a failed run left OUT"


class Tests:
    def __init__(self, world):
        self.world = world

    # Transports

    def test_file(self, w):
        w.prepares(base="file://%s/" % w.servers.root)

    def test_git(self, w):
        w.prepares(base=w.url("git", ""))

    def test_http(self, w):
        w.prepares(base=w.url("http"))
        shutil.rmtree(w.at("out"))
        w.prepares("--offline")  # the cache serves alone

    def test_https_with_an_authority_of_the_usual_variables(self, w):
        authority = w.servers.at("ca.crt")
        for variables in ({"GIT_SSL_CAINFO": authority, "SSL_CERT_FILE": "/nowhere"}, {"CURL_CA_BUNDLE": authority},
                          {"SSL_CERT_DIR": w.servers.at("ca.d")}, {"SSL_CERT_FILE": os.path.relpath(authority, w.work)}):
            w.renew()
            w.prepares(base=w.url("https"), **variables)

    def test_without_git(self, w):
        authority = {"GIT_SSL_CAINFO": w.servers.at("ca.crt"), "PATH": "/nowhere"}
        named = w.url("https").replace("127.0.0.1", "localhost")  # mbedTLS knows no addresses in certificates
        for base in ("file://%s/" % w.servers.root, w.url("git", ""), w.url("http"), named):
            w.renew()
            w.prepares(base=base, **authority)
        for server in ("self", "expired", "wrong"):
            w.renew()
            bad = w.url("https", server=server).replace("127.0.0.1", "localhost")
            w.fails(SOURCE, "libgit2 reports", "ertificate", base=bad, **authority)
        w.renew()
        w.fails(SOURCE, "libgit2 reports", "ertificate", base=named, PATH="/nowhere")
        w.fails(SOURCE, "libgit2 reports", base=w.url("http", "to-https/"), PATH="/nowhere")
        w.fails(SOURCE, "the git program is not installed", base=self.ssh_url(w), PATH="/nowhere")

    # TLS

    def test_https_refuses_unknown_authorities(self, w):
        w.fails(SOURCE, "certificate", base=w.url("https"))
        w.fails(SOURCE, "certificate", base=w.url("https"), GIT_SSL_NO_VERIFY="1")
        authority = w.servers.at("ca.crt")
        w.fails(SOURCE, "certificate", base=w.url("https", server="self"), SSL_CERT_FILE=authority)
        w.fails(SOURCE, "certificate", base=w.url("https", server="expired"), SSL_CERT_FILE=authority)
        w.fails(SOURCE, "certificate", base=w.url("https", server="wrong"), SSL_CERT_FILE=authority)
        w.prepares(base=w.url("https"), SSL_CERT_FILE=authority)  # with the cache of the failed ones

    # Redirects

    def test_redirects_to_another_path_are_followed(self, w):
        for path in ("renamed/", "relative/", "twice/"):
            w.renew()
            w.prepares(base=w.url("http", path))

    def test_redirects_elsewhere_are_refused(self, w):
        w.fails(SOURCE, "another server", "127.0.0.2", base=w.url("http", "other-host/"))
        w.fails(SOURCE, "another server", base=w.url("http", "to-https/"))
        w.fails(SOURCE, "another server", base=w.url("https", "downgrade/"), SSL_CERT_FILE=w.servers.at("ca.crt"))
        w.fails(SOURCE, "another server", base=w.url("http", "to-file/"))
        w.fails(SOURCE, "not a repository URL", base=w.url("http", "to-page/"))
        w.fails(SOURCE, "not a repository URL", base=w.url("http", "post-moved/"))
        w.fails(SOURCE, "redirects more than 5 times", base=w.url("http", "loop/"))
        w.fails(SOURCE, "does not speak git", base=w.url("http", "page/"))

    # Logins

    def test_logins_need_the_option(self, w):
        trap = w.at("trap")
        w.write_home(".gitconfig", '[credential]\n\thelper = "!touch %s"\n' % trap)
        w.fails(SOURCE, "--credentials", base=w.url("http", "private/"))
        assert not os.path.exists(trap), "a credential helper was run"

    def test_logins_by_a_helper(self, w):
        w.write_home(".gitconfig", '[url "file:///nowhere/"]\n\tinsteadOf = http://\n[core]\n\thooksPath = /nowhere\n[include]\n\tpath = more\n')
        w.write_home("more", '[credential "http://127.0.0.1:%d"]\n\tusername = alice\n\thelper = store\n' % w.port["http"])
        w.write_home(".git-credentials", "http://alice:s3cret@127.0.0.1:%d\n" % w.port["http"])
        w.prepares("--credentials", base=w.url("http", "private/"))

    def test_wrong_logins(self, w):
        w.write_home(".gitconfig", '[credential]\n\thelper = "!f() { echo username=alice; echo password=pr0xyword; }; f"\n')
        w.fails(SOURCE, "Authentication failed", base=w.url("http", "private/"), options=["--credentials"])

    # ssh

    def ssh_url(self, w):
        return "ssh://tester@127.0.0.1:%d%s/" % (w.port["ssh"], w.servers.root)

    def test_ssh(self, w):
        trap = w.at("ssh-trap")
        w.write_home(".ssh/known_hosts", w.servers.known_hosts())
        w.write_home(".ssh/config", "PermitLocalCommand yes\nLocalCommand touch %s\nStrictHostKeyChecking no\nIdentityFile %s\n"
                     % (trap, w.servers.at("user_key")))
        w.fails(SOURCE, "Permission denied", "--credentials", base=self.ssh_url(w))
        w.prepares("--credentials", base=self.ssh_url(w), GIT_SSH_COMMAND="touch " + trap, GIT_SSH="touch")
        assert not os.path.exists(trap), "a command of the configuration was run"

    def test_ssh_with_an_agent(self, w):
        w.write_home(".ssh/known_hosts", w.servers.known_hosts())
        socket = w.at("agent.sock")
        with subprocess.Popen(["ssh-agent", "-D", "-a", socket], stdout=subprocess.DEVNULL) as agent:
            try:
                while not os.path.exists(socket):
                    pass
                subprocess.run(["ssh-add", "-q", w.servers.at("user_key")], env={**os.environ, "SSH_AUTH_SOCK": socket}, check=True)
                w.fails(SOURCE, "Permission denied", base=self.ssh_url(w), SSH_AUTH_SOCK=socket)
                w.prepares("--credentials", base=self.ssh_url(w), SSH_AUTH_SOCK=socket)
            finally:
                agent.terminate()

    def test_ssh_refuses_hosts_that_it_does_not_know(self, w):
        w.write_home(".ssh/config", "StrictHostKeyChecking no\n")
        w.fails(SOURCE, "Host key verification failed", base=self.ssh_url(w), options=["--credentials"])
        w.write_home(".ssh/known_hosts", w.servers.known_hosts("other_key"))
        w.fails(SOURCE, "Host key verification failed", base=self.ssh_url(w), options=["--credentials"])

    # Proxies

    def test_proxies(self, w):
        authority = w.servers.at("ca.crt")
        for name, scheme in (("http_proxy", "http"), ("HTTP_PROXY", "http"), ("HTTPS_PROXY", "https"), ("all_proxy", "https")):
            w.renew()
            proxy = Proxy()
            w.prepares(base=w.url(scheme), SSL_CERT_FILE=authority, **{name: "http://127.0.0.1:%d" % proxy.port})
            assert proxy.asked and proxy.asked[0].startswith("CONNECT" if scheme == "https" else "GET"), (name, proxy.asked)
        w.renew()
        proxy.asked.clear()
        w.prepares(base=w.url("https"), SSL_CERT_FILE=authority, NO_PROXY="127.0.0.1", all_proxy="http://127.0.0.1:%d" % proxy.port)
        assert not proxy.asked, proxy.asked

    def test_proxies_with_a_login(self, w):
        proxy = Proxy(login=b"Ym9iOnByMHh5d29yZA==")  # bob:pr0xyword
        w.prepares(base=w.url("http"), http_proxy="http://bob:pr0xyword@127.0.0.1:%d" % proxy.port)
        w.renew()
        w.fails(SOURCE, "407", base=w.url("http"), http_proxy="http://bob:s3cret@127.0.0.1:%d" % proxy.port)
        w.fails(SOURCE, "Failed to connect", base=w.url("http"), http_proxy="http://bob:s3cret@127.0.0.1:%d" % w.port["nobody"])
        w.fails(SOURCE, "git reports", base=w.url("http"), http_proxy="nonsense://bob:s3cret@@:x")

    # Which URLs

    def test_the_environment_configures_nothing(self, w):
        w.prepares(base=w.url("http"), GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="url.file:///nowhere/.insteadOf",
                   GIT_CONFIG_VALUE_0="http://", GIT_PROXY_COMMAND="false", GIT_ALLOW_PROTOCOL="none", GIT_TRACE=w.at("trace"))
        assert not os.path.exists(w.at("trace"))

    def test_relative_urls_go_by_the_recorded_parent(self, w):
        moved = w.at("elsewhere", "deep", "torch.git")
        shutil.copytree(w.servers.root + "/torch.git", moved)
        trap = w.at("elsewhere", "deep", "s.git")  # what ../s.git would be from there
        os.makedirs(trap)
        w.prepares("--url-map", "%storch.git=file://%s" % (RECORDED, moved), "--url-map", RECORDED + "=" + w.url("http"))

    def test_the_longest_map_counts(self, w):
        w.prepares("--url-map", "https://=file:///nowhere/", base=w.url("git", ""))

    def test_what_is_dead_falls_back_to_where_it_moved(self, w):
        dead = "http://127.0.0.1:%d/" % w.port["nobody"]
        moved = [{"from": RECORDED + name, "to": [dead + name, w.url("http") + name]} for name in ("torch.git", "s.git")]
        catalog.write_json(w.at("moved", "moved_repositories.json"), {"schema": 1, "moved": moved})
        w.prepares("--catalog", w.at("moved"), base=w.url("http", "busy/"))
        w.renew()
        catalog.write_json(w.at("moved", "moved_repositories.json"), {"schema": 1, "moved": [dict(row, to=row["to"][:1]) for row in moved]})
        w.fails(SOURCE, "error: 503", "Failed to connect", base=w.url("http", "busy/"), options=["--catalog", w.at("moved")])

    def test_maps_that_are_none(self, w):
        for rule, says in (("https://a", "not OLD=NEW"), ("x=https://a/", "begin like a URL"), ("https://a=ext::sh", "not OLD=NEW"),
                           ("https://a/=ftp://b/", "scheme 'ftp'"), ("https://a/=https://me:s3cret@b/", "user name or password")):
            w.fails(USAGE, says, options=["--url-map", rule])

    def test_what_breaks_off_is_resumed_in_parts(self, w):
        files = w.write_large()
        relay = CuttingRelay(w.port["git"], 700000)
        result = w.run("--retries", "3", base="git://127.0.0.1:%d/" % relay.port, layer="large catalog")
        assert result.returncode == OK, result.stderr
        assert "in parts" in result.stderr, result.stderr
        assert not invariants.check_files(w.at("out", "pytorch"), files)
        # A second run asks nobody; git itself takes the cache for whole.
        connections = relay.connections
        shutil.rmtree(w.at("out"))
        assert w.run(base="git://127.0.0.1:%d/" % relay.port, layer="large catalog").returncode == OK
        assert relay.connections == connections
        cached = w.at("cache", "torchpatch", "git", "git+127.0.0.1+%d" % relay.port, "large.git")
        subprocess.run(["git", "--git-dir=" + cached, "fsck", "--strict", "--no-dangling"], check=True, stdout=subprocess.DEVNULL)
        assert not [name for name in os.listdir(cached + "/objects/pack") if not name.endswith((".pack", ".idx", ".rev"))]

    def test_busy_servers_are_asked_again(self, w):
        w.fails(SOURCE, "503", "again in 1 s", base=w.url("http", "busy/"), options=["--retries", "1"])


def main():
    world = World(os.environ["WORK"])
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    tests = Tests(world)
    names = [name for name in dir(Tests) if name.startswith("test_") and wanted in name]
    failed = 0
    try:
        for name in names:
            world.renew()
            try:
                begun = time.monotonic()
                getattr(tests, name)(world)
                print("%5.1f s %s" % (time.monotonic() - begun, name))
            except AssertionError:
                failed += 1
                print("FAILED: %s\n%s" % (name, traceback.format_exc()), file=sys.stderr)
    finally:
        world.servers.stop()
    print("%d tests over file, git, http, https and ssh, %d failed" % (len(names), failed))
    sys.exit(1 if failed or not names else 0)


if __name__ == "__main__":
    main()
