import { createSocket } from "node:dgram";
import { once } from "node:events";
import ipaddr from "ipaddr.js";

/** A name server on loopback that supports the record types A and AAAA. */
export interface NameServer {
  /** Its address, such as `127.0.0.1:5353`. */
  address: string;
  /** How often each name was looked up; A and AAAA count as one lookup. */
  asked: Map<string, number>;
  close(): void;
}

const typeA = 1;
const typeAaaa = 28;

/** Opens a name server. @param addressesOf returns a name's addresses for its nth lookup, or undefined to send no response */
export async function openNameServer(
  addressesOf: (name: string, time: number) => readonly string[] | undefined,
): Promise<NameServer> {
  const asked = new Map<string, number>();
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    const { name, end } = nameIn(query);
    const type = query.readUInt16BE(end);
    const time = asked.get(name) ?? 0;
    if (type === typeAaaa) asked.set(name, time + 1);
    const addresses = addressesOf(name, time)?.map((address) => ipaddr.parse(address).toByteArray());
    if (addresses === undefined) return;
    const fitting = addresses.filter((bytes) => bytes.length === (type === typeA ? 4 : 16));
    socket.send(
      dnsResponse(query.subarray(0, end + 4), type, fitting, addresses.length === 0),
      from.port,
      from.address,
    );
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { address: `127.0.0.1:${socket.address().port}`, asked, close: () => void socket.close() };
}

function nameIn(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), end: at + 1 };
}

/** Encodes a DNS response, see https://www.rfc-editor.org/rfc/rfc1035#section-4 */
function dnsResponse(question: Buffer, type: number, addresses: number[][], isUnknown: boolean): Buffer {
  const header = Buffer.from(question.subarray(0, 12));
  header.writeUInt16BE(isUnknown ? 0x8183 : 0x8180, 2);
  header.writeUInt16BE(addresses.length, 6);
  header.writeUInt16BE(0, 10);
  const records = addresses.map((bytes) => {
    const record = Buffer.alloc(12);
    // The record has a pointer to the question's name, and a TTL of 0.
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(bytes.length, 10);
    return Buffer.concat([record, Buffer.from(bytes)]);
  });
  return Buffer.concat([header, question.subarray(12), ...records]);
}
