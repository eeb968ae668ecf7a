/** What is wrong with a receiver, why it matters, and what to change. */
export interface Defect {
  title: string;
  why: string;
  change: string;
}

/** Everything that the probe can find, the most serious first. */
export const defects = {
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
  },
  path_confusion: {
    title: "Another spelling of a path bypasses the verification",
    why: "The code that verifies and the code that routes disagree about the path, so a request reaches the handler unverified.",
    change:
      "Verify every request except GET /test. Decide that by the same path that your router matches, not by a prefix or a decoded copy.",
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
  duplicate_header_accepted: {
    title: "One of two contradictory headers is used",
    why: "If a proxy in front looks at the one and your code at the other, neither has verified the request.",
    change:
      "Respond with 401 if a signature header occurs more than once, or if its value is a list that was joined with a comma.",
  },
  serialised_body: {
    title: "The signature is computed over a body that was parsed and serialised again",
    why: "Your serialiser does not write the bytes that the service signed. Such an event is refused, and lost after the last retry.",
    change: "Keep the bytes as they arrive, verify the signature over them, and parse them afterwards.",
  },
  valid_request_refused: {
    title: "Requests that the service sends are refused",
    why: "The service retries a refused event for about 45 hours and then gives it up. A refused check stops the profile from being saved.",
    change: "Accept this request. See what was sent, and what your receiver logged about it.",
  },
  error_on_bad_signature: {
    title: "A bad signature causes a server error",
    why: "Malformed input reaches code that does not expect it. The sender cannot see that the signature is the problem, and your alarms ring for strangers.",
    change: "Check the form of the headers first, and respond with 401 to everything that is not a valid signature.",
  },
  server_error: {
    title: "A request causes a server error",
    why: "The service takes an error for a temporary failure and retries for about 45 hours.",
    change: "Respond with a status from 400 to 499 to a request that you do not accept.",
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
  any_path_accepted: {
    title: "Every path is accepted",
    why: "The service cannot see that an address is wrong, and events that you do not handle are acknowledged and lost.",
    change: "Respond with 404 to a path that you do not implement.",
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
} as const satisfies Record<string, Defect>;

/** The code of a defect; stable between releases. */
export type DefectCode = keyof typeof defects;
