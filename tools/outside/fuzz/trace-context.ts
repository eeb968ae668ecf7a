import assert from "node:assert/strict";
import { parseTraceParent } from "@opentelemetry/core";
import { readTraceContext } from "../../../packages/contract/src/trace-context.ts";
import { type FuzzTarget, readParts } from "./target.ts";

/** `traceparent` and `tracestate`; the second reading is OpenTelemetry's. */
export const traceContext: FuzzTarget = {
  words: [
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "ff-",
    "tenant@vendor=",
    "congo=t61rcWkgMzE",
    ",",
    "\t",
  ],
  fuzz(data) {
    const [traceparent = "", ...tracestates] = readParts(data, 3);
    const read = readTraceContext([traceparent], tracestates);
    const known = parseTraceParent(traceparent);
    // What HTTP's parsers have cut off, OpenTelemetry takes once at either end.
    if (/^\s|\s$/.test(traceparent)) return;
    assert.equal(read === undefined, known === null, "OpenTelemetry agrees on what is a traceparent");
    assert.equal(readTraceContext([traceparent, traceparent], tracestates), undefined, "a repeated one counts as none");
    if (!read || !known) return;
    assert.match(read.traceparent, /^00-[\da-f]{32}-[\da-f]{16}-0[0-3]$/);
    assert.deepEqual(read.traceparent.split("-").slice(1, 3), [known.traceId, known.spanId]);
    assert.equal(Number(read.traceparent.at(-1)), known.traceFlags & 3);
    const { tracestate } = read;
    assert.deepEqual(readTraceContext([read.traceparent], tracestate === undefined ? [] : [tracestate]), read);
    if (tracestate === undefined) return;
    assert.ok(tracestate.length <= 512 && tracestate.split(",").length <= 32);
    assert.match(tracestate, /^[\x20-\x7e]+$/, "nothing that a header could not carry");
  },
};
