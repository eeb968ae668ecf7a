/** What is wrong with a receiver, why it matters, and what to change. */
export interface Defect {
  title: string;
  why: string;
  change: string;
  /** How the line that causes it is often written, and how it should be. */
  line?: string;
}

const unregistered =
  "The service makes this check before it saves the address on the company profile, and saves nothing.";
const lost = "The service retries a refused event for about 45 hours, and then gives it up.";

const serious = {
  unsigned_accepted: {
    title: "Requests without a valid signature are accepted",
    why: "Everybody who knows the address can send events in the name of the service.",
    change:
      "Verify the signature before anything else, and respond with 401 if a header is missing. GET /test is the only exception.",
  },
  empty_secret_accepted: {
    title: "Signatures made without a secret are accepted",
    why: "A signature under an empty secret can be computed by everybody. A missing environment variable is enough.",
    change:
      "Stop at start if the secret is empty. Look for a second, empty secret, such as that of a rotation that is not configured.",
  },
  secret_missing: {
    title: "The receiver has no secret",
    why: "It verifies with an empty secret or with a word such as undefined, which everybody can do, and refuses the service.",
    change: "Set the secret in the receiver's environment, and stop at start if it is empty.",
    line: "const secret = process.env.WEBHOOK_SECRET;   // undefined when the variable is not set",
  },
  wrong_signature_accepted: {
    title: "Wrong signatures are accepted",
    why: "A request that was not signed with your secret does not come from the service.",
    change: "Compute the signature with your secret, and respond with 401 unless it is equal.",
  },
  partial_comparison: {
    title: "Only a part of the signature is compared",
    why: "An attacker who may send a shorter signature guesses it in a few attempts.",
    change:
      "Require the whole signature, then compare all of it in constant time (crypto.timingSafeEqual, hmac.compare_digest, hash_equals).",
    line: "expected.startsWith(given)   // also true for an empty text",
  },
  path_confusion: {
    title: "Another spelling of a path bypasses the verification",
    why: "The code that verifies and the code that routes disagree about the path, so a request reaches the handler unverified.",
    change:
      "Verify every request except GET /test. Decide that by the same path that your router matches, not by a prefix or a decoded copy.",
  },
  zone_ignored: {
    title: "The zone of the Timestamp is ignored",
    why: "The Timestamp is in UTC, as its Z says. Read as local time, a fresh one is hours off on a machine in another zone, and an old one can pass.",
    change:
      "Parse the Timestamp with its zone, and compare instants: Date.parse, datetime.fromisoformat, Instant.parse.",
    line: 'datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").timestamp()   # without a zone: local time',
  },
  old_timestamp_accepted: {
    title: "Old signatures are accepted",
    why: "Someone who has captured one request, for instance from a log, can send it for ever.",
    change: "Reject a timestamp that is more than 5 minutes in the past.",
  },
  future_timestamp_accepted: {
    title: "Signatures from the future are accepted",
    why: "A captured request whose timestamp lies ahead remains valid until then. A check of the age alone does not see it.",
    change: "Compare the absolute difference: reject a timestamp that is more than 5 minutes in the future, too.",
  },
  second_timestamp_accepted: {
    title: "An old captured request can be replayed with a second timestamp",
    why: "Your code verifies one of two timestamps and checks the age of the other. Someone who has captured one request can add a fresh timestamp and send it for ever.",
    change:
      "Read the timestamp once, and use that value for the signature and for its age. Respond with 401 if the header occurs more than once, or if its value is a list that was joined with a comma.",
    line: "isSigned(timestamps[0]) && isRecent(timestamps.at(-1))   // two values of one header",
  },
  second_id_accepted: {
    title: "A captured request can be replayed under a second webhook-id",
    why: "The signature covers one of two ids. If your code looks for duplicates by the other, a captured request counts as a new one each time while its timestamp is fresh.",
    change:
      "Respond with 401 if webhook-id occurs more than once, or if its value is a list that was joined with a comma.",
  },
  duplicate_header_accepted: {
    title: "One of two contradictory headers is used",
    why: "If a proxy in front looks at the one and your code at the other, neither has verified the request.",
    change:
      "Respond with 401 if a signature header occurs more than once, or if its value is a list that was joined with a comma.",
    line: "request.headers.timestamp   // Node keeps one of two; see request.headersDistinct",
  },
  receiver_stopped: {
    title: "The receiver stopped while it was probed",
    why: "A request that ends the process loses the events that it was handling, and every one until it is started again. Everybody who knows the address can send such a request.",
    change:
      "Look at the receiver's own output for the exception. Catch what parsing a header, a date or a body throws, and respond with 401 or 400.",
    line: "new Date(timestamp).toISOString()   // throws a RangeError for what is no date",
  },
  test_needs_authentication: {
    title: "GET /test asks for authentication",
    why: `GET /test is sent without a signature. ${unregistered}`,
    change: "Respond with 200 to GET /test before you verify. Every other request is signed.",
  },
  lower_case_digest: {
    title: "The digest is expected in lower case",
    why: `The service sends the 64 hexadecimal digits in capitals. ${unregistered}`,
    change:
      "Compare bytes, or bring both digests into the same case first. Accept both cases: the digits mean the same number.",
    line: 'createHash("sha256").update(timestamp + secret).digest("hex")   // lower case, as hexdigest() of Python is',
  },
  hmac_only: {
    title: "Only the HMAC of the timestamp is accepted",
    why: "The service documents two digests, and sends SHA-256 of the timestamp followed by the secret. Both prove that the sender knows the secret.",
    change:
      "Compute both digests, and accept either: SHA-256(timestamp + secret), and HMAC-SHA-256(secret, timestamp).",
    line: 'createHmac("sha256", secret).update(timestamp)   // beside createHash("sha256").update(timestamp + secret)',
  },
  reformatted_date: {
    title: "The digest is computed over a date that was parsed and written again",
    why: "The service signs the text of the Timestamp as it sends it. Another spelling of the same time has another digest.",
    change: "Hash the text of the header exactly as it arrived. Parse a copy of it to check its age.",
    line: "hash(new Date(timestamp).toISOString() + secret)   // write hash(timestamp + secret)",
  },
  wrong_signed_text: {
    title: "The digest is computed over another text",
    why: `The service signs the timestamp followed by the secret, with nothing between them. ${unregistered}`,
    change:
      "Compute SHA-256(timestamp + secret). With HMAC, the secret is the key and the timestamp the message. Under Standard Webhooks, sign id.timestamp.body.",
  },
  secret_altered: {
    title: "The receiver verifies with an altered secret",
    why: "The service uses the secret of the company profile as it stands, as UTF-8. Standard Webhooks alone decodes it from base64.",
    change:
      "Read the secret without a line feed, quotes or a change of case. Decode it only under Standard Webhooks, without its prefix whsec_.",
    line: 'readFileSync("secret.txt", "utf8")   // ends with a line feed: add .trimEnd()',
  },
  wrong_scheme_word: {
    title: "The scheme word of the signature is not read as the service sends it",
    why: "Authorization is the word hmac in lower case, a space, and 64 hexadecimal digits. Standard Webhooks puts v1, before each signature.",
    change: "Match ^hmac +([0-9a-f]{64})$ without regard to case, and compare its digits only.",
  },
  wrong_encoding: {
    title: "The digest is expected in another encoding",
    why: "The documented digest is hexadecimal; a signature of Standard Webhooks is base64.",
    change: "Decode the digest of the header with the right encoding, and compare bytes.",
  },
  precision_refused: {
    title: "A Timestamp of another precision is refused",
    why: `The service sends milliseconds, and documents whole minutes (2018-11-26T10:55Z). ${lost}`,
    change: "Accept seconds and their fraction as optional. A Timestamp without seconds stands for the whole minute.",
  },
  clock_off: {
    title: "The receiver's clock is wrong",
    why: "It accepts a Timestamp of another time than now, and refuses the service's.",
    change:
      "Set the clock of the receiver's machine (NTP). See also whether minutes or seconds are added before the comparison.",
  },
  tolerance_too_small: {
    title: "A Timestamp within five minutes is refused",
    why: `The clocks of two machines differ, and a request may wait in a proxy. ${lost}`,
    change: "Allow 300 seconds in both directions. Compare seconds with seconds, or milliseconds with milliseconds.",
    line: "Math.abs(Date.now() - Date.parse(timestamp)) <= 300   // milliseconds: write 300_000",
  },
  redirected: {
    title: "A request is redirected",
    why: "The service follows no redirect: a signature is for one address. A redirect acknowledges nothing.",
    change:
      "Respond at this address itself. Look for a redirect to https, to another host, or to a path with or without a slash at its end.",
  },
  trailing_slash_required: {
    title: "The endpoint exists only with a slash at the end of its path",
    why: "The service calls paths without a slash at the end, and follows no redirect.",
    change: "Route the path without the slash, too (strict_slashes=False, APPEND_SLASH = False, strict: false).",
  },
  wrong_base_path: {
    title: "The endpoints are at another base address",
    why: "The service appends /test and the other paths to the base address of the company profile.",
    change: "Give the address named above, here and on the company profile, or mount the endpoints below this one.",
  },
  wrong_method: {
    title: "An endpoint responds to another method only",
    why: `The checks are GET, suggestions and all events with a body are POST. ${unregistered}`,
    change: "Route the method that the service sends.",
  },
  auth_check_missing: {
    title: "GET /test/auth does not exist",
    why: `It is one of the two mandatory endpoints. ${unregistered}`,
    change: "Respond with 200 to GET /test/auth if the signature is right, else with 401.",
  },
  event_endpoint_missing: {
    title: "POST /offer/response does not exist",
    why: `A worker's response to an offer is sent there. ${lost}`,
    change: "Route POST /offer/response below the base address, and respond with 200 when you have stored the event.",
  },
  wrong_success_status: {
    title: "A success is answered with another status than 200",
    why: "Only 200 acknowledges an event: the service retries one that got 201, 202 or 204 for about 45 hours, and then gives it up. A check is not passed, and suggestions are not used.",
    change: "Send 200 explicitly. Many frameworks send 204 for a handler that returns nothing, and 201 for a POST.",
    line: 'response.status(204).end()   // write response.status(200).end(); in Flask, return "", 200',
  },
  endpoint_disabled: {
    title: "A request gets 410, which disables the endpoint",
    why: "The service takes 410 as the request to stop, and holds all events until a person enables the endpoint.",
    change: "Respond with 404 for what you do not know. Send 410 only when you want no more webhooks.",
  },
  serialised_body: {
    title: "The signature is computed over a body that was parsed and serialised again",
    why: "Your serialiser does not write the bytes that the service signed. Such an event is refused, and lost after the last retry.",
    change: "Keep the bytes as they arrive, verify the signature over them, and parse them afterwards.",
    line: "hmac(JSON.stringify(request.body))   // write hmac(rawBody)",
  },
  duplicate_refused: {
    title: "A retry of an event that was handled before is refused",
    why: "The service retries when your acknowledgement is lost. It takes any status but 200 as a failure, and the later events of the worker wait behind it.",
    change: "Respond with 200 to an event that you have handled before. Do not handle it again.",
  },
  chunked_body_refused: {
    title: "A body in chunks is refused",
    why: "A proxy in front of your receiver may send a body on in chunks (Transfer-Encoding: chunked), without a Content-Length.",
    change:
      "Read the body to its end, whether or not its length is declared. Count the bytes while you read, and stop at 256 KiB.",
    line: 'length = int(headers["Content-Length"])   # missing in a request with chunks',
  },
  content_type_required: {
    title: "A request without a body must have a Content-Type",
    why: `GET /test/auth has no body, so the service sends no Content-Type. ${unregistered}`,
    change: "Check the media type of requests with a body only.",
  },
  media_type_refused: {
    title: "A media type with a parameter is refused",
    why: `application/json; charset=utf-8 is the same media type as application/json. ${lost}`,
    change: "Compare the part of Content-Type before the semicolon, without regard to case.",
    line: 'headers["content-type"] === "application/json"   // false with a charset',
  },
  optional_field_required: {
    title: "An optional field is required",
    why: "filter is optional: a hirer may search without a text. The hirer sees that your organisation's response was invalid.",
    change: "Require userEmailAddresses only.",
  },
  unknown_fields_refused: {
    title: "A field that you do not know is refused",
    why: `The service may add fields. ${lost}`,
    change:
      "Ignore unknown fields (additionalProperties: true; not .strict(), extra=forbid or FAIL_ON_UNKNOWN_PROPERTIES).",
  },
  other_scripts_refused: {
    title: "Text that is not ASCII is refused",
    why: `JSON is UTF-8 (RFC 8259, section 8.1), and names have letters of every script. ${lost}`,
    change: "Decode the body as UTF-8.",
  },
  header_case_matters: {
    title: "Headers are only found in one case",
    why: `Header names have no case (RFC 9110, section 5.1). Proxies and HTTP/2 write them in small letters. ${lost}`,
    change: "Look headers up without regard to case.",
  },
  any_path_accepted: {
    title: "Every path is accepted",
    why: "The service cannot see that an address is wrong, and events that you do not handle are acknowledged and lost.",
    change: "Respond with 404 to a path that you do not implement.",
  },
  invalid_suggestions: {
    title: "The response to a search is not a list of suggestions",
    why: "The service uses the whole list or none of it. The hirer sees that your organisation's response was invalid.",
    change:
      "Respond with a JSON array. Each entry has name, emailAddress and ratings, an array of { rating: 1 to 5, ratingProvider, lastWorked }.",
  },
  valid_request_refused: {
    title: "Requests that the service sends are refused",
    why: `${lost} A refused check stops the profile from being saved.`,
    change: "Accept this request. See what was sent, and what your receiver logged about it.",
  },
  error_on_bad_signature: {
    title: "A bad signature causes a server error",
    why: "Malformed input reaches code that does not expect it. After a rotation of the secret, the service tries the old one only after 401 or 403.",
    change: "Check the form of the headers first, and respond with 401 to everything that is not a valid signature.",
  },
  server_error: {
    title: "A request causes a server error",
    why: "The service takes an error for a temporary failure and retries for about 45 hours.",
    change: "See what your receiver logged. Respond with a status from 400 to 499 to a request that you do not accept.",
  },
  any_size_accepted: {
    title: "The size of a body is not limited",
    why: "A few requests fill the memory or the disk of your server, without a valid signature if you read the body first.",
    change:
      "Respond with 413 as soon as Content-Length or the bytes read exceed 256 KiB. Verify the headers before you read the body, where the scheme allows it.",
  },
  any_method_accepted: {
    title: "The method of a request is ignored",
    why: "A method that your endpoint does not have reaches its handler. Proxies and firewalls decide by the method.",
    change: "Respond with 405 and an Allow header to every other method.",
  },
  secret_leaked: {
    title: "A response repeats a secret or a signature",
    why: "Responses are logged and shown on pages.",
    change: "Do not write request headers or secrets into responses.",
  },
  no_response: {
    title: "There is no response",
    why: "The service waits for 5 seconds for a check or a search and 15 seconds for an event, and counts a failure.",
    change: "Respond to every request, also to one that you refuse. Respond before you do work that takes long.",
  },
  unusual_response: {
    title: "A response does not end, or there is more than one",
    why: "The service reads at most 4 MiB and one response for each request.",
    change: "Send one response of a bounded size.",
  },
  slow_response: {
    title: "A check or a search takes longer than 5 seconds",
    why: "The service gives up after 5 seconds (D-25).",
    change: "Respond first, and do the work in a queue.",
  },
  blocked_by_slow_sender: {
    title: "A slow sender blocks all other requests",
    why: "One connection that sends its body slowly is enough to stop your receiver.",
    change: "Serve requests concurrently, and set a timeout for reading a request.",
  },
  wrong_handling: {
    title: "Handlers run too often, or not at all",
    why: "A retry must not be handled twice, and what was refused must not be handled.",
    change: "Deduplicate deliveries, and run the handler only after every check has passed.",
  },
} satisfies Record<string, Defect>;

/** The code of a defect; stable between releases. */
export type DefectCode = keyof typeof serious;

/** All that the probe can find, the most serious first: what costs an event, lets a request in, or fails registration (D-104). */
export const defects: Readonly<Record<DefectCode, Defect>> = serious;

const harmless = {
  distinct_refusals: {
    title: "Refusals tell which check failed",
    why: "The bodies of your 401 responses differ, so that an attacker learns how far a forged request came (D-17).",
    change: "Respond to every bad signature with the same body, and log the reason.",
  },
  unusual_refusal: {
    title: "A bad signature gets a status other than 401 or 403",
    why: "For 24 hours after the secret is changed, the service sends a request that got 401 or 403 once more, signed with the old secret. After another status, the event waits for its next attempt.",
    change: "Respond with 401.",
  },
  stalled_body: {
    title: "A body that stops arriving is waited for",
    why: "Each such connection occupies your receiver, until there are too many (D-17).",
    change: "Give a request 10 seconds to arrive, then respond with 408.",
  },
} satisfies Record<string, Defect>;

export type NoteCode = keyof typeof harmless;

/** Differences that cost nothing. */
export const notes: Readonly<Record<NoteCode, Defect>> = harmless;
