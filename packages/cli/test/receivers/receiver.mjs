// A small receiver without dependencies. It is correct unless DEFECT selects a defect.
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const { WEBHOOK_SECRET = "", SCHEME, DEFECT, PORT = "0" } = process.env;
const isStandardScheme = SCHEME === "standard-webhooks";
const limit = 256 * 1024;
const routes = { "/test": "GET", "/test/auth": "GET", "/contact-suggestions": "POST", "/offer/response": "POST" };
const secrets = DEFECT === "empty_secret" ? [WEBHOOK_SECRET, ""] : [WEBHOOK_SECRET];

function isEqual(expected, received) {
  if (DEFECT === "prefix_compare") return expected.startsWith(received);
  return expected.length === received.length && timingSafeEqual(Buffer.from(expected), Buffer.from(received));
}

/**
 * Which value of a repeated header to use. For example, with last_of_joined:timestamp, the last of the values joined by commas is signed,
 * and the first value determines the age.
 */
const [, choiceForSignature, form, ambiguousHeader] = /^(first|last)_of_(two|joined):(.+)$/.exec(DEFECT) ?? [];

/** Returns the value of a header that occurs once, otherwise undefined. With some defects, returns one of several values. */
function findHeader({ rawHeaders }, name, isForAge = false) {
  const values = rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1].toLowerCase() === name);
  if (name === ambiguousHeader) {
    if (form === "joined" && values.length !== 1) return undefined;
    const choices = form === "joined" ? values[0].split(/(?<!v1), */) : values;
    // The age is read from the value that is not signed.
    return choices.at((choiceForSignature === "first") === isForAge ? -1 : 0);
  }
  if (DEFECT === "second_header_wins") return values.at(-1);
  // Repeated headers may be joined with commas. A signature contains a comma after each v1.
  return values.length === 1 && !values[0].replaceAll("v1,", "").includes(",") ? values[0] : undefined;
}

function isFresh(ageMs) {
  if (DEFECT === "no_freshness") return true;
  return DEFECT === "one_direction" ? ageMs <= 300_000 : Math.abs(ageMs) <= 300_000;
}

function hasValidDigest(request) {
  const timestamp = findHeader(request, "timestamp") ?? "";
  const digits = DEFECT === "prefix_compare" ? "{0,64}" : "{64}";
  const pattern = new RegExp(`^hmac +([0-9a-f]${digits})$`, "i");
  const received = pattern.exec(findHeader(request, "authorization") ?? "")?.[1]?.toLowerCase();
  const isDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/.test(timestamp);
  const ageMs = Date.now() - Date.parse(findHeader(request, "timestamp", true));
  if (received === undefined || !isDate || !isFresh(ageMs)) return false;
  return secrets.some(
    (secret) =>
      isEqual(
        createHash("sha256")
          .update(timestamp + secret)
          .digest("hex"),
        received,
      ) || isEqual(createHmac("sha256", secret).update(timestamp).digest("hex"), received),
  );
}

function hasValidStandardSignature(request, body) {
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) =>
    findHeader(request, `webhook-${name}`),
  );
  if (!id || !/^\d{1,12}$/.test(timestamp ?? "") || signatures === undefined) return false;
  if (!isFresh(Date.now() - Number(findHeader(request, "webhook-timestamp", true)) * 1000)) return false;
  const signed = DEFECT === "reserialised_json" && parse(body) ? JSON.stringify(JSON.parse(body)) : body;
  return secrets.some((secret) => {
    const key = Buffer.from(secret.replace("whsec_", ""), "base64");
    const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(signed).digest("base64");
    return signatures.split(" ").some((text) => text.startsWith("v1,") && isEqual(expected, text.slice(3)));
  });
}

async function receive(request, respond) {
  const path = request.url.split("?")[0];
  const routedPath = DEFECT === "path_confusion" ? decode(path).toLowerCase().replace(/\/+/g, "/") : path;
  const method = Object.hasOwn(routes, routedPath) ? routes[routedPath] : undefined;
  if (!method) return respond(404);
  if (request.method !== method && DEFECT !== "method_ignored") return respond(405, { allow: method });
  const body = await readBody(request);
  if (!body) return respond(413);
  // With the defect path_confusion, the path as sent decides whether to verify, but the normalised path selects the route.
  const mustVerify = Object.hasOwn(routes, path) && path !== "/test";
  const isSigned = () => (isStandardScheme ? hasValidStandardSignature(request, body) : hasValidDigest(request));
  if (mustVerify && !isSigned()) {
    if (DEFECT === "error_on_bad_signature") return respond(500);
    return respond(401, { "www-authenticate": isStandardScheme ? "standard-webhooks" : "hmac" });
  }
  if (routedPath !== "/contact-suggestions") return respond(200);
  const search = parse(body);
  const addresses = search?.userEmailAddresses;
  const isValid = Array.isArray(addresses) && addresses.every((address) => typeof address === "string");
  return isValid ? respond(200, { "content-type": "application/json" }, "[]") : respond(400);
}

async function readBody(request) {
  if (Number(request.headers["content-length"] ?? 0) > limit && DEFECT !== "body_unlimited") return undefined;
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > limit && DEFECT !== "body_unlimited") return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parse(body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function decode(path) {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const server = createServer((request, response) => {
  const respond = (status, headers = {}, body = "") =>
    response.writeHead(status, { ...headers, "content-length": body.length, connection: "close" }).end(body);
  receive(request, respond).catch(() => respond(500));
});
server.listen(Number(PORT), "127.0.0.1", () => console.log(`listening ${server.address().port}`));
