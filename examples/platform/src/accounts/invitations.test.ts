import { expect, test } from "vitest";
import { toMailbox, toSignInAddress } from "./invitations.ts";

test.each([
  ["eli@example.com", "eli@example.com"],
  ["ELI@Example.COM", "eli@example.com"],
  ["eli+work@example.com", "eli@example.com"],
  ["eli+a+b@example.com.", "eli@example.com"],
  ["ｅli@ｅxample．com", "eli@example.com"],
  ["émile@küche.example", "émile@xn--kche-0ra.example"],
  ["+1@example.com", "+1@example.com"],
  ["eli@[127.0.0.1]", "eli@[127.0.0.1]"],
])("%j belongs to the mailbox %j", (address, mailbox) => expect(toMailbox(address)).toBe(mailbox));

test.each([
  ["eli@example.com", "eli@example.org"],
  ["eli@example.com", "eve@example.com"],
  ["e.li@example.com", "eli@example.com"],
])("%j and %j are different mailboxes", (a, b) => expect(toMailbox(a)).not.toBe(toMailbox(b)));

test.each([
  ["Kim@EXAMPLE.com", "kim@example.com"],
  ["\u212Aim@example.com", "\u212Aim@example.com"],
  ["\u0130da@example.com", "\u0130da@example.com"],
])("%j identifies the account %j [D-164]", (address, account) => expect(toSignInAddress(address)).toBe(account));
