import { once } from "node:events";
import { chmod, type FileHandle, mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../processes/free-port.ts";
import { startProcess } from "../../processes/start-process.ts";
import { findDebianProgram } from "../debian-program.ts";

/** A request as a proxy logged it. */
export interface LoggedRequest {
  method: string;
  /** The target as it came. */
  target: string;
  /** The path by which the proxy chooses what applies to a request: decoded and without dot segments, where it does so. */
  path: string;
  /** Of nginx the upstream's, NaN when there was none: nginx also gives 400 to a sender who hangs up while it forwards the body. */
  status: number;
  /** Whether the proxy asked the upstream. */
  isForwarded: boolean;
  /** `X-Request-Id` of the upstream's response; empty when the proxy got none. */
  id: string;
}

/** A proxy in front of one upstream. */
export interface ProxyServer {
  name: string;
  title: string;
  port: number;
  /** What it has logged since it was started. */
  readLog(): Promise<readonly LoggedRequest[]>;
  /** What it wrote besides, such as warnings and crashes. */
  lines: readonly string[];
  stop(): Promise<void>;
}

interface Route {
  /** On which the proxy listens. */
  port: number;
  upstreamPort: number;
  /** For its files. */
  folder: string;
}

interface ProxyKind {
  debianPackage: string;
  configure(route: Route): string;
  command(file: string): readonly string[];
}

/** How a proxy's line begins that reports a request; the fields follow, separated by tabs. */
const mark = "REQUEST";

/** @param server what else stands in `server` @param location and in `location` */
const nginx = (server: string, location: string): ProxyKind => ({
  debianPackage: "nginx",
  configure: ({ port, upstreamPort, folder }) => `
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr error;
events { worker_connections 1024; }
http {
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`).join("\n  ")}
  log_format requests "${mark}\\t$request_method\\t$request_uri\\t$uri\\t$upstream_status\\t$upstream_addr\\t$upstream_http_x_request_id";
  access_log /dev/stdout requests;
  upstream server { server 127.0.0.1:${upstreamPort}; keepalive 8; }
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 2m;
    ${server}
    location / {
      proxy_pass http://server;
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_next_upstream error timeout;
      ${location}
    }
  }
}`,
  command: (file) => ["-c", file, "-e", "stderr"],
});

const haproxy: ProxyKind = {
  debianPackage: "haproxy",
  configure: ({ port, upstreamPort }) => `
global
  log stdout len 65535 format raw local0
  maxconn 1000
defaults
  mode http
  log global
  option forwardfor
  option dontlognull
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout http-request 10s
  http-reuse always
  log-format "${mark}\\t%HM\\t%HU\\t%[var(txn.path)]\\t%ST\\t%s\\t%[var(txn.id)]"
frontend proxy
  bind 127.0.0.1:${port}
  http-request set-var(txn.path) path
  http-request set-header X-Forwarded-Proto http
  http-response set-var(txn.id) res.hdr(X-Request-Id)
  default_backend upstream
backend upstream
  server upstream 127.0.0.1:${upstreamPort}
`,
  command: (file) => ["-db", "-f", file],
};

const apacheModules = ["mpm_event", "authz_core", "headers", "proxy", "proxy_http", "reqtimeout"];

const apache: ProxyKind = {
  debianPackage: "apache2",
  configure: ({ port, upstreamPort, folder }) => `
ServerRoot ${folder}
ServerName localhost
PidFile ${folder}/apache.pid
DefaultRuntimeDir ${folder}
ErrorLog /dev/stdout
LogLevel error
${apacheModules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join("\n")}
${process.getuid?.() === 0 ? "User www-data\nGroup www-data" : ""}
# One process, so that all clients share its connections to the upstream.
ServerLimit 1
ThreadsPerChild 64
MaxRequestWorkers 64
LogFormat "${mark}\\t%m\\t%r\\t%U\\t%>s\\t%R\\t%{X-Request-Id}o" requests
CustomLog /dev/stdout requests
Listen 127.0.0.1:${port}
AllowEncodedSlashes NoDecode
ProxyPreserveHost On
RequestHeader set X-Forwarded-Proto http
# Passes the path on as it came.
ProxyPass / http://127.0.0.1:${upstreamPort}/ nocanon
`,
  command: (file) => ["-f", file, "-D", "FOREGROUND"],
};

/** `nginx` as docs/guides/deployment.md configures it: HTTP/1.0 to the upstream, each request in one piece. */
const proxyKinds: Readonly<Record<string, ProxyKind>> = {
  nginx: nginx("", ""),
  "nginx-streaming": nginx(
    "large_client_header_buffers 8 64k;",
    'proxy_http_version 1.1; proxy_set_header Connection ""; proxy_request_buffering off; proxy_buffering off;',
  ),
  haproxy,
  apache,
};

export const proxyNames = Object.keys(proxyKinds);

/** @param name of {@link proxyNames} */
export async function startProxy(name: string, upstreamPort: number): Promise<ProxyServer> {
  const kind = proxyKinds[name];
  if (!kind) throw new Error(`There is no proxy ${name}; there are: ${proxyNames.join(", ")}.`);
  const { path, title } = await findDebianProgram(kind.debianPackage);
  const folder = await mkdtemp(join(tmpdir(), "offers-proxy-"));
  // Workers of nginx write large bodies there, as another user than root.
  await chmod(folder, 0o755);
  const port = await freePort();
  const file = join(folder, "configuration");
  await writeFile(file, kind.configure({ port, upstreamPort, folder }));
  // A file, because nginx and Apache open /dev/stdout, which fails for a pipe.
  const log = await open(join(folder, "log"), "a+");
  const lines: string[] = [];
  const started = startProcess(path, kind.command(file), {
    ready: /^never$/,
    stdio: ["ignore", log.fd, "pipe"],
    onLine: (line) => lines.push(line),
    env: { PATH: process.env.PATH },
  });
  const stop = async () => {
    const { exitCode, signalCode } = started.child;
    if (exitCode === null && signalCode === null) await started.stop();
    await log.close();
    await rm(folder, { recursive: true });
  };
  try {
    await Promise.race([acceptsConnections(port), started.ready]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { name, title, port, readLog: logReader(log, lines), lines, stop };
}

function logReader(log: FileHandle, others: string[]): ProxyServer["readLog"] {
  const logged: LoggedRequest[] = [];
  let position = 0;
  let rest = "";
  return async () => {
    const { size } = await log.stat();
    if (size === position) return logged;
    const { buffer, bytesRead } = await log.read(Buffer.alloc(size - position), 0, size - position, position);
    position += bytesRead;
    const added = (rest + buffer.toString("latin1", 0, bytesRead)).split("\n");
    rest = added.pop() ?? "";
    for (const line of added) {
      const [begin, method = "", target = "", path = "", status = "", asked = "", id = ""] = line.split("\t");
      if (begin !== mark) {
        if (line !== "") others.push(line);
        continue;
      }
      const isForwarded = !["", "-", "<NOSRV>"].includes(asked);
      // Apache logs the request line.
      logged.push({
        method,
        target: target.split(" ")[1] ?? target,
        path,
        status: Number(status),
        isForwarded,
        id: id === "-" ? "" : id,
      });
    }
    return logged;
  };
}

async function acceptsConnections(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await sleep(50);
  }
  throw new Error(`Nothing listens on port ${port}.`);
}
