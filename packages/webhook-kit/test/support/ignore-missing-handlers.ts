// Tests leave out handlers on purpose. A process prints these warnings only once, so the test that would have to capture them depends on
// the order of the tests. The isolated tests, one of which is about these warnings, do not load this file.
const ignored = /\((no_handler|event_dropped)\)$/;
const wrapped = Symbol.for("@offers/webhook-kit/test/ignores-missing-handlers");

const { warn } = console;
if (!(wrapped in warn))
  console.warn = Object.assign(
    (...values: unknown[]) => {
      if (!ignored.test(String(values[0]))) warn.apply(console, values);
    },
    { [wrapped]: true },
  );
