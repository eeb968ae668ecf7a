// This module is preloaded into a platform process. It replaces connections to Google with connections to the test server on loopback. The
// process trusts the server because of NODE_EXTRA_CA_CERTS.
import tls from "node:tls";

const port = Number(process.env.FCM_SERVER_PORT);
const connect = tls.connect as (options: tls.ConnectionOptions, ...more: unknown[]) => tls.TLSSocket;

tls.connect = ((options: tls.ConnectionOptions, ...more: unknown[]) =>
  options.servername?.endsWith(".googleapis.com")
    ? connect({ ...options, host: "127.0.0.1", port }, ...more)
    : connect(options, ...more)) as typeof tls.connect;
