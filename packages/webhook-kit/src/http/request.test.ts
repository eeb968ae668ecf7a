import { expect, test } from "vitest";
import { duplicated, findDeliveryId, findHeader } from "./request.ts";

test("findHeader ignores the case of a name", () =>
  expect(findHeader(["Host", "a", "TIMESTAMP", "b"], "timestamp")).toBe("b"));

test("findHeader does not mistake a value for a header name", () =>
  expect(findHeader(["X-Note", "timestamp", "Host", "a"], "timestamp")).toBeUndefined());

test("findHeader reports a header that was sent twice, even with equal values", () => {
  expect(findHeader(["Timestamp", "a", "timestamp", "b"], "timestamp")).toBe(duplicated);
  expect(findHeader(["Timestamp", "a", "timestamp", "a"], "timestamp")).toBe(duplicated);
});

test("findHeader finds an empty header", () => expect(findHeader(["Timestamp", ""], "timestamp")).toBe(""));

test("a name at the end without a value is not a header", () => {
  expect(findHeader(["Timestamp"], "timestamp")).toBeUndefined();
  expect(findHeader(["Timestamp", "a", "Timestamp"], "timestamp")).toBe("a");
});

test("findDeliveryId reads the delivery id from Offers-Delivery-Id", () =>
  expect(findDeliveryId(["Host", "a", "offers-Delivery-ID", "delivery_7"])).toBe("delivery_7"));

test.each([
  ["absent", ["Host", "a"]],
  ["empty", ["Offers-Delivery-Id", ""]],
  ["sent twice", ["Offers-Delivery-Id", "a", "Offers-Delivery-Id", "b"]],
  ["joined from two by a runtime", ["Offers-Delivery-Id", "a, b"]],
])("a delivery id that is %s is ignored", (_, rawHeaders) => expect(findDeliveryId(rawHeaders)).toBeUndefined());
