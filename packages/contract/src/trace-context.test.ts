import { expect, test } from "vitest";
import { readTraceContext } from "./trace-context.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";
const traceparent = `00-${traceId}-${spanId}-01`;

// The cases include those of the W3C's test suite: https://github.com/w3c/trace-context/blob/main/test/test.py
test.each([
  ["sampled", traceparent, traceparent],
  ["not sampled", `00-${traceId}-${spanId}-00`, `00-${traceId}-${spanId}-00`],
  ["a random trace id", `00-${traceId}-${spanId}-03`, `00-${traceId}-${spanId}-03`],
  ["unknown flags", `00-${traceId}-${spanId}-fd`, `00-${traceId}-${spanId}-01`],
  ["a later version", `cc-${traceId}-${spanId}-01`, traceparent],
  ["a later version with an additional field", `cc-${traceId}-${spanId}-01-what-the-future-will-be-like`, traceparent],
  ["a later version with a hyphen at the end", `cc-${traceId}-${spanId}-01-`, traceparent],
])("readTraceContext reads a traceparent: %s", (_what, text, expected) =>
  expect(readTraceContext([text])).toEqual({ traceparent: expected }),
);

test.each([
  ["none", []],
  ["an empty one", [""]],
  ["two", [traceparent, traceparent]],
  ["two in one header", [`${traceparent},${traceparent}`]],
  ["two in one header with a space", [`${traceparent}, ${traceparent}`]],
  ["version ff", [`ff-${traceId}-${spanId}-01`]],
  ["version 00 with an additional field", [`${traceparent}-what`]],
  ["version 00 with a hyphen at the end", [`${traceparent}-`]],
  ["a later version with text after the flags", [`cc-${traceId}-${spanId}-01.what`]],
  ["a version of one digit", [`0-${traceId}-${spanId}-01`]],
  ["a version of three digits", [`000-${traceId}-${spanId}-01`]],
  ["a version that is not hexadecimal", [`.0-${traceId}-${spanId}-01`]],
  ["a trace id of zeros", [`00-${"0".repeat(32)}-${spanId}-01`]],
  ["a trace id in capitals", [`00-${traceId.toUpperCase()}-${spanId}-01`]],
  ["a trace id that is too long", [`00-${traceId}0-${spanId}-01`]],
  ["a trace id that is too short", [`00-${traceId.slice(1)}-${spanId}-01`]],
  ["a trace id with a full stop", [`00-.${traceId.slice(1)}-${spanId}-01`]],
  ["a span id of zeros", [`00-${traceId}-${"0".repeat(16)}-01`]],
  ["a span id that is too long", [`00-${traceId}-${spanId}0-01`]],
  ["a span id that is too short", [`00-${traceId}-${spanId.slice(1)}-01`]],
  ["a span id in capitals", [`00-${traceId}-${spanId.toUpperCase()}-01`]],
  ["flags of one digit", [`00-${traceId}-${spanId}-1`]],
  ["flags of three digits", [`00-${traceId}-${spanId}-001`]],
  ["flags that are not hexadecimal", [`00-${traceId}-${spanId}-.0`]],
  ["flags in capitals", [`00-${traceId}-${spanId}-0A`]],
  ["no flags", [`00-${traceId}-${spanId}`]],
  ["white space before", [` ${traceparent}`]],
  ["white space after", [`${traceparent} `]],
  ["a line break", [`${traceparent}\n`]],
  ["underscores", [traceparent.replaceAll("-", "_")]],
  ["digits of another script", [`00-${traceId.replace("4", "٤")}-${spanId}-01`]],
  ["a megabyte", [`${traceparent}-${"0".repeat(1_000_000)}`]],
  ["a script", ["<script>alert(1)</script>"]],
  ["SQL", [`00-${traceId}-${spanId}-01'; DROP TABLE events; --`]],
  ["null", ["null"]],
])("readTraceContext ignores a traceparent: %s", (_what, values) =>
  expect(readTraceContext(values, ["foo=1"])).toBeUndefined(),
);

test.each<[string, string[], string]>([
  ["one member", ["foo=1"], "foo=1"],
  ["several", ["foo=1,bar=2"], "foo=1,bar=2"],
  ["several headers", ["foo=1", "bar=2"], "foo=1,bar=2"],
  ["white space around members", [" foo=1 \t, \tbar=2 "], "foo=1,bar=2"],
  ["empty members", ["foo=1,,bar=2,"], "foo=1,bar=2"],
  ["a tenant", ["fw529a3039@dt=FfAAAAB"], "fw529a3039@dt=FfAAAAB"],
  ["a tenant that starts with a digit", ["0foo@bar=1"], "0foo@bar=1"],
  ["all characters of a key", ["foo_bar-baz*qux/1=2"], "foo_bar-baz*qux/1=2"],
  ["a space within a value", ["foo=a b"], "foo=a b"],
  ["the longest key", [`${"z".repeat(256)}=1`], `${"z".repeat(256)}=1`],
  ["the longest value", [`foo=${"z".repeat(256)}`], `foo=${"z".repeat(256)}`],
  [
    "32 members",
    [Array.from({ length: 32 }, (_, index) => `bar${index}=1`).join()],
    Array.from({ length: 32 }, (_, index) => `bar${index}=1`).join(),
  ],
])("readTraceContext reads a tracestate: %s", (_what, tracestates, tracestate) =>
  expect(readTraceContext([traceparent], tracestates)).toEqual({ traceparent, tracestate }),
);

test.each<[string, string[]]>([
  ["none", []],
  ["an empty one", [""]],
  ["33 members", [Array.from({ length: 33 }, (_, index) => `bar${index}=1`).join()]],
  ["a member twice", ["foo=1,foo=2"]],
  ["no value", ["foo"]],
  ["an empty value", ["foo="]],
  ["an empty key", ["=1"]],
  ["a key with a space", ["foo =1"]],
  ["a key in capitals", ["FOO=1"]],
  ["a key with a full stop", ["foo.bar=1"]],
  ["a key that is too long", [`${"z".repeat(257)}=1`]],
  ["a tenant that is too long", [`${"t".repeat(242)}@v=1`]],
  ["a vendor that is too long", [`t@${"v".repeat(15)}=1`]],
  ["two at signs", ["foo@@bar=1"]],
  ["no tenant", ["@foo=1"]],
  ["no vendor", ["foo@=1"]],
  ["a value with an equals sign", ["foo=bar=baz"]],
  ["a value that is too long", [`foo=${"z".repeat(257)}`]],
  ["a value with a control character", ["foo=a\u0001b"]],
  ["a value with a line break", ["foo=a\r\nx-admin: 1"]],
  ["a value that is not ASCII", ["foo=ä"]],
  ["a semicolon in place of the comma", ["foo=1;bar=2"]],
  ["more than 512 characters", [`foo=${"z".repeat(256)},bar=${"z".repeat(256)}`]],
  ["a megabyte", [`foo=${"z".repeat(1_000_000)}`]],
])("readTraceContext ignores a tracestate but returns the traceparent: %s", (_what, tracestates) =>
  expect(readTraceContext([traceparent], tracestates)).toEqual({ traceparent }),
);
