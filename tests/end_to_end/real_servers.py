# SPDX-License-Identifier: BSD-3-Clause
"""The servers that git repositories are fetched from in real life, on loopback, as the user who runs this."""
import os
import select
import shutil
import socket
import socketserver
import subprocess
import threading
import time

os.environ["PATH"] += ":/usr/sbin"
GIT_CORE = subprocess.run(["git", "--exec-path"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()

NGINX = """
daemon off; pid %(work)s/nginx.pid; error_log %(work)s/nginx.log; worker_processes 1;
events { worker_connections 512; }
http {
  access_log %(work)s/access.log; client_max_body_size 0;
  client_body_temp_path %(work)s/t1; proxy_temp_path %(work)s/t2; fastcgi_temp_path %(work)s/t3;
  uwsgi_temp_path %(work)s/t4; scgi_temp_path %(work)s/t5;
  server {
    listen 127.0.0.1:%(http)d; include %(work)s/git.conf;
    location /renamed/ { rewrite ^/renamed/(.*)$ /git/$1 permanent; }
    location /relative/ { absolute_redirect off; rewrite ^/relative/(.*)$ /git/$1 redirect; }
    location /twice/ { rewrite ^/twice/(.*)$ /renamed/$1 redirect; }
    location /loop/ { return 302 $request_uri; }
    location /other-host/ { return 301 http://127.0.0.2:%(http)d$request_uri; }
    location /to-file/ { return 301 file://%(root)s/torch.git/info/refs?service=git-upload-pack; }
    location /to-https/ { return 301 https://127.0.0.1:%(https)d$request_uri; }
    location /to-page/ { return 302 /login.html; }
    location = /login.html { return 200 "<html>hello</html>"; }
    location /page/ { default_type text/html; return 200 "<html>hello</html>"; }
    location /busy/ { return 503; }
    location ~ ^/post-moved(/.*)/git-upload-pack$ { return 301 /git$1/git-upload-pack; }
    location ~ ^/post-moved(/.*)$ { set $path $1; include %(work)s/backend.conf; }
    location ~ ^/private(/.*)$ {
      set $path $1; auth_basic "private"; auth_basic_user_file %(work)s/users; include %(work)s/backend.conf;
    }
  }
  server {
    listen 127.0.0.1:%(https)d ssl; ssl_certificate %(work)s/good.crt; ssl_certificate_key %(work)s/good.key;
    include %(work)s/git.conf;
    location /downgrade/ { return 301 http://127.0.0.1:%(http)d$request_uri; }
  }
  server { listen 127.0.0.1:%(expired)d ssl; ssl_certificate %(work)s/expired.crt; ssl_certificate_key %(work)s/expired.key;
    include %(work)s/git.conf; }
  server { listen 127.0.0.1:%(wrong)d ssl; ssl_certificate %(work)s/wrong.crt; ssl_certificate_key %(work)s/wrong.key;
    include %(work)s/git.conf; }
  server { listen 127.0.0.1:%(self)d ssl; ssl_certificate %(work)s/self.crt; ssl_certificate_key %(work)s/self.key;
    include %(work)s/git.conf; }
}
"""
BACKEND = """
fastcgi_pass unix:%(work)s/fcgi.sock;
fastcgi_param SCRIPT_FILENAME %(core)s/git-http-backend;
fastcgi_param GIT_PROJECT_ROOT %(root)s;
fastcgi_param GIT_HTTP_EXPORT_ALL "";
fastcgi_param PATH_INFO $path;
fastcgi_param QUERY_STRING $query_string;
fastcgi_param REQUEST_METHOD $request_method;
fastcgi_param CONTENT_TYPE $content_type;
fastcgi_param CONTENT_LENGTH $content_length;
fastcgi_param REMOTE_USER $remote_user;
"""
SSHD = """
Port %(ssh)d
ListenAddress 127.0.0.1
HostKey %(work)s/host_key
PidFile %(work)s/sshd.pid
AuthorizedKeysFile %(work)s/user_key.pub
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
AcceptEnv GIT_PROTOCOL
"""


def free_ports(count):
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def run(*argv):
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Certificates:
    """An authority of our own, and certificates of it for 127.0.0.1: good, expired, for another host; one by itself."""

    def __init__(self, work):
        self.work = work
        self.make_key("ca")
        self.request("ca", "/CN=Test authority", "-x509", "-days", "30", "-addext", "basicConstraints=critical,CA:TRUE")
        self.sign("good", "IP:127.0.0.1,DNS:localhost", "-days", "30")
        self.sign("wrong", "DNS:other.example.org", "-days", "30")
        self.sign("expired", "IP:127.0.0.1,DNS:localhost", "-days", "0")  # over in a second; openssl 3.5 makes none of the past
        self.make_key("self")
        self.request("self", "/CN=127.0.0.1", "-x509", "-days", "30", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost")
        os.makedirs(self.at("ca.d"))
        shutil.copy(self.at("ca.crt"), self.at("ca.d", "ca.pem"))
        run("openssl", "rehash", self.at("ca.d"))
        time.sleep(1.1)

    def at(self, *names):
        return os.path.join(self.work, *names)

    def make_key(self, name):
        run("openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", self.at(name + ".key"))

    def request(self, name, subject, *more):
        run("openssl", "req", "-new", "-key", self.at(name + ".key"), "-subj", subject, "-out", self.at(name + ".crt"), *more)

    def sign(self, name, names, *more):
        self.make_key(name)
        run("openssl", "req", "-new", "-key", self.at(name + ".key"), "-subj", "/CN=server", "-out", self.at(name + ".csr"))
        with open(self.at(name + ".ext"), "w") as file:
            file.write("subjectAltName=%s\n" % names)
        run("openssl", "x509", "-req", "-in", self.at(name + ".csr"), "-CA", self.at("ca.crt"), "-CAkey", self.at("ca.key"),
            "-CAcreateserial", "-extfile", self.at(name + ".ext"), "-out", self.at(name + ".crt"), *more)


class Proxy(socketserver.ThreadingTCPServer):
    """A proxy for http (absolute URLs) and https (CONNECT) that notes what it is asked, and may want a login."""

    allow_reuse_address = daemon_threads = True

    def __init__(self, login=None):
        super().__init__(("127.0.0.1", 0), ProxyRequest)
        self.login, self.asked = login, []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def port(self):
        return self.server_address[1]


class ProxyRequest(socketserver.StreamRequestHandler):
    rbufsize = 0  # what follows the head is for pump()

    def handle(self):
        request = self.rfile.readline().decode()
        headers = list(iter(self.rfile.readline, b"\r\n"))
        self.server.asked.append(request.strip())
        wanted = self.server.login
        if wanted and not any(header.startswith(b"Proxy-Authorization: Basic " + wanted) for header in headers):
            self.wfile.write(b"HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return
        method, target, version = request.split()
        host = target if method == "CONNECT" else target.split("/")[2]
        name, port = host.split(":")
        with socket.create_connection((name, int(port))) as server:
            if method == "CONNECT":
                self.wfile.write(b"HTTP/1.1 200 ok\r\n\r\n")
            else:
                path = "/" + target.split("/", 3)[3]
                kept = [header for header in headers if not header.lower().startswith((b"proxy-", b"connection:"))]
                server.sendall(("%s %s %s\r\n" % (method, path, version)).encode() + b"".join(kept) + b"Connection: close\r\n\r\n")
            self.pump(server)

    def pump(self, server):
        other = {self.connection: server, server: self.connection}
        while True:
            for end in select.select(list(other), [], [], 30)[0]:
                data = end.recv(65536)
                if not data:
                    return
                other[end].sendall(data)


class CuttingRelay(socketserver.ThreadingTCPServer):
    """Passes connections on to a port, and cuts each off after so many bytes of the answer."""

    allow_reuse_address = daemon_threads = True

    def __init__(self, port, most):
        super().__init__(("127.0.0.1", 0), RelayedConnection)
        self.target, self.most, self.connections = port, most, 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def port(self):
        return self.server_address[1]


class RelayedConnection(socketserver.BaseRequestHandler):
    def handle(self):
        self.server.connections += 1
        left = self.server.most
        with socket.create_connection(("127.0.0.1", self.server.target)) as server:
            other = {self.request: server, server: self.request}
            while left > 0:
                for end in select.select(list(other), [], [], 30)[0]:
                    data = end.recv(min(left, 65536))
                    if not data:
                        return
                    other[end].sendall(data)
                    left -= len(data) if end is server else 0


class Servers:
    """All of them, over the folder `root` of bare repositories."""

    def __init__(self, work, root, with_ssh=True, parallel=2):
        self.work, self.root, self.parallel, self.processes = work, root, parallel, []
        names = ("http", "https", "expired", "wrong", "self", "git", "ssh", "nobody")
        self.port = dict(zip(names, free_ports(len(names))))
        self.values = dict(self.port, work=work, root=root, core=GIT_CORE)
        self.environment = {"PATH": os.environ["PATH"], "HOME": work, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": self.at("server.config")}
        self.write("server.config", "[uploadpack]\n\tallowAnySHA1InWant = true\n\tallowFilter = true\n[safe]\n\tdirectory = *\n")
        Certificates(work)
        self.start_nginx()
        if with_ssh:
            self.start_sshd()
        self.start("git", "daemon", "--reuseaddr", "--listen=127.0.0.1", "--port=%d" % self.port["git"], "--base-path=" + root,
                   "--export-all", root)
        for name in names[:-1] if with_ssh else names[:-2]:
            self.wait_for(self.port[name])

    def at(self, *names):
        return os.path.join(self.work, *names)

    def write(self, name, text):
        with open(self.at(name), "w") as file:
            file.write(text)

    def start(self, *argv):
        self.processes.append(subprocess.Popen(argv, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                               stderr=open(self.at("servers.log"), "ab"), start_new_session=True))

    def start_nginx(self):
        backend = BACKEND % self.values
        self.write("backend.conf", backend)
        self.write("git.conf", "location ~ ^/git(/.*)$ { set $path $1; include %s; }\n" % self.at("backend.conf"))
        login = subprocess.run(["openssl", "passwd", "-apr1", "s3cret"], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.write("users", "alice:" + login)
        self.write("nginx.conf", NGINX % self.values)
        self.start("fcgiwrap", "-c", str(self.parallel), "-s", "unix:" + self.at("fcgi.sock"))
        as_root = ("-g", "user root;") if os.geteuid() == 0 else ()  # it would take another user, who cannot reach fcgiwrap
        self.start("nginx", "-p", self.work, "-e", self.at("nginx.log"), "-c", self.at("nginx.conf"), *as_root)

    def start_sshd(self):
        for name in ("host_key", "user_key", "other_key"):
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", self.at(name))
        self.write("sshd.conf", SSHD % self.values)
        # sshd gives commands an environment of its own; this one makes every commit fetchable.
        with open(self.at("sshd.conf"), "a") as file:
            file.write("SetEnv GIT_CONFIG_GLOBAL=%s\n" % self.at("server.config"))
        self.start(shutil.which("sshd"), "-D", "-e", "-f", self.at("sshd.conf"))

    def known_hosts(self, key="host_key"):
        with open(self.at(key + ".pub")) as file:
            return "[127.0.0.1]:%d %s" % (self.port["ssh"], file.read())

    def wait_for(self, port):
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.02)
        with open(self.at("servers.log")) as file:
            raise RuntimeError("a server does not answer: " + file.read())

    def stop(self):
        for process in self.processes:
            os.killpg(process.pid, 15)
        for process in self.processes:
            process.wait()
