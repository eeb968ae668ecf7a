// The process that ssrf.test.ts starts to test settings that Node reads only when it starts. It sends one request to the URL in its first
// argument, and prints the result.
import { sendRequest } from "./send-request.ts";

const [, , baseAddress = ""] = process.argv;
const result = await sendRequest({ allowLoopback: true }, { baseAddress });
console.log(JSON.stringify(result.ok ? { ok: true, status: result.status } : result));
