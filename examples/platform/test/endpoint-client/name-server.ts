import { createSocket } from "node:dgram";
import { once } from "node:events";
import ipaddr from "ipaddr.js";

/** A name server on loopback that supports the record types A and AAAA. */
export interface NameServer {
  /** Its address, such as `127.0.0.1:5353`. */
  address: string;
  /** The number of lookups of each name. A lookup sends an A and an AAAA query, and only the AAAA query is counted. */
  lookups: Map<string, number>;
  close(): void;
}

const typeA = 1;
const typeAaaa = 28;

/** Opens a name server. @param resolve returns a name's addresses for its nth lookup, or undefined to send no response */
export async function openNameServer(
  resolve: (name: string, lookupIndex: number) => readonly string[] | undefined,
): Promise<NameServer> {
  const lookups = new Map<string, number>();
  const socket = createSocket("udp4");
  socket.on("message", (query, sender) => {
    const { name, end } = parseName(query);
    const type = query.readUInt16BE(end);
    const lookupIndex = lookups.get(name) ?? 0;
    if (type === typeAaaa) lookups.set(name, lookupIndex + 1);
    const addresses = resolve(name, lookupIndex)?.map((address) => ipaddr.parse(address).toByteArray());
    if (addresses === undefined) return;
    const typeAddresses = addresses.filter((bytes) => bytes.length === (type === typeA ? 4 : 16));
    socket.send(
      encodeResponse(query.subarray(0, end + 4), type, typeAddresses, addresses.length === 0),
      sender.port,
      sender.address,
    );
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { address: `127.0.0.1:${socket.address().port}`, lookups, close: () => void socket.close() };
}

/** Parses the name in the question, which follows a header of 12 bytes. @returns the name and the offset of its end */
function parseName(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let offset = 12;
  // Each label follows its length. A length of 0 ends the name.
  let length = query.readUInt8(offset);
  while (length > 0) {
    labels.push(query.toString("latin1", offset + 1, offset + 1 + length));
    offset += 1 + length;
    length = query.readUInt8(offset);
  }
  return { name: labels.join(".").toLowerCase(), end: offset + 1 };
}

/** Encodes a DNS response. @param question the query without its additional records @see https://www.rfc-editor.org/rfc/rfc1035#section-4 */
function encodeResponse(question: Buffer, type: number, addresses: number[][], isUnknown: boolean): Buffer {
  const header = Buffer.from(question.subarray(0, 12));
  // The flags, with the response code NXDOMAIN or NOERROR.
  header.writeUInt16BE(isUnknown ? 0x8183 : 0x8180, 2);
  // The counts of answers and of additional records.
  header.writeUInt16BE(addresses.length, 6);
  header.writeUInt16BE(0, 10);
  const records = addresses.map((bytes) => {
    const record = Buffer.alloc(12);
    // A pointer to the name in the question, the type, the class IN, a TTL of 0 and the length.
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(bytes.length, 10);
    return Buffer.concat([record, Buffer.from(bytes)]);
  });
  return Buffer.concat([header, question.subarray(12), ...records]);
}
