import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Creates an untrusted certificate authority and a certificate that it signs for 127.0.0.1, using openssl. */
export function createAuthority(): { ca: string; cert: string; key: string } {
  const folder = mkdtempSync(join(tmpdir(), "offers-authority-"));
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const keyArgs = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  try {
    writeFileSync(join(folder, "names"), "subjectAltName=IP:127.0.0.1");
    openssl("req", "-x509", ...keyArgs, "-keyout", "ca.key", "-out", "ca.pem", "-days", "1", "-subj", "/CN=Unknown");
    openssl("req", ...keyArgs, "-keyout", "key.pem", "-out", "request.pem", "-subj", "/CN=service");
    const signingArgs = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names", "-days", "1"];
    openssl("x509", "-req", "-in", "request.pem", ...signingArgs, "-out", "cert.pem");
    const read = (name: string) => readFileSync(join(folder, name), "utf8");
    return { ca: read("ca.pem"), cert: read("cert.pem"), key: read("key.pem") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Starts a real https server on loopback for one test. It responds to every request with the same body, and records each request. */
export async function serveTls(certificate: { cert: string; key: string }, body: string) {
  const received = { requestCount: 0, keys: [] as unknown[] };
  const server = createServer(certificate, (request, response) => {
    received.requestCount += 1;
    received.keys.push(request.headers["x-ue-api-subscription-key"]);
    request.resume().on("end", () => response.end(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  });
  return { baseUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}
