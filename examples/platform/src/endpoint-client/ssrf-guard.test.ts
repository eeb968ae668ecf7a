import { expect, test } from "vitest";
import { isAllowedAddress } from "./ssrf-guard.ts";

// Public DNS resolvers with documented addresses, which will stay public.
test.each(["1.1.1.1", "8.8.8.8", "9.9.9.9", "2606:4700:4700::1111", "2001:4860:4860::8888"])(
  "allows requests to %s",
  (address) => expect(isAllowedAddress(address, { allowLoopback: false })).toBe(true),
);

// RFC 6052, section 2.4. On networks that reach IPv4 through DNS64 and NAT64, every receiver's address has this form.
test.each(["64:ff9b::8.8.8.8", "64:ff9b::808:808"])(
  "allows requests to %s, which embeds a public IPv4 address",
  (address) => expect(isAllowedAddress(address, { allowLoopback: false })).toBe(true),
);

// From the IANA special-purpose address registries, and the metadata addresses that cloud providers document.
// https://www.iana.org/assignments/iana-ipv4-special-registry
// https://www.iana.org/assignments/iana-ipv6-special-registry
const rejectedAddresses = [
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "10.255.255.255",
  "100.64.0.1",
  "100.100.100.200",
  "127.0.0.1",
  "127.255.255.254",
  "168.63.129.16",
  "169.254.0.1",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.1",
  "192.0.0.192",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.0.1",
  "192.168.255.255",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::127.0.0.1",
  "::ffff:127.0.0.1",
  "::ffff:169.254.169.254",
  "::ffff:8.8.8.8",
  "::ffff:0:10.0.0.1",
  "64:ff9b::127.0.0.1",
  "64:ff9b::10.0.0.1",
  "64:ff9b::a9fe:a9fe",
  "64:ff9b::168.63.129.16",
  "64:ff9b::192.168.1.1",
  "64:ff9b::",
  "64:ff9b:0:0:1::8.8.8.8",
  "64:ff9b:1::1",
  "100::1",
  "2001::1",
  "2001:2::1",
  "2001:10::1",
  "2001:20::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "2002:a9fe:a9fe::",
  "3fff::1",
  "5f00::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
  "2606:4700:4700::1111%1",
  "febf::1",
  "fec0::1",
  "ff02::1",
  "4000::1",
  "localhost",
  "",
  "1.1.1.1.",
];

test.each(rejectedAddresses)("rejects requests to %j", (address) =>
  expect(isAllowedAddress(address, { allowLoopback: false })).toBe(false),
);

test("allows loopback addresses but no other private addresses with the development option [D-41]", () => {
  const allowedAddresses = rejectedAddresses.filter((address) => isAllowedAddress(address, { allowLoopback: true }));
  expect(allowedAddresses).toEqual(["127.0.0.1", "127.255.255.254", "::1"]);
});
