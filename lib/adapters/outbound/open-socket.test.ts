import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { addressesOf, resolveByDns } from "./open-socket.ts";

const [A, AAAA] = [1, 28];
const FLAGS = { found: 0x8180, failed: 0x8182, unknown: 0x8183 } as const;
type Answer = { flags: number; addresses?: number[][] };

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A name server on a free port; what it answers to no question it leaves open. */
async function nameServer(answerOf: (type: number) => Answer | null): Promise<string> {
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const question = query.subarray(12, query.indexOf(0, 12) + 5);
    const type = question.readUInt16BE(question.length - 4);
    const answer = answerOf(type);
    if (!answer) return;
    const { flags, addresses = [] } = answer;
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    for (const [at, value] of [flags, 1, addresses.length].entries()) {
      head.writeUInt16BE(value, 2 + 2 * at);
    }
    const records = addresses.map((bytes) =>
      Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes]),
    );
    socket.send(Buffer.concat([head, question, ...records]), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  closing.push(() => socket.close());
  return `127.0.0.1:${(socket.address() as AddressInfo).port}`;
}

const FOUND: Record<number, Answer> = {
  [A]: { flags: FLAGS.found, addresses: [[93, 184, 215, 14]] },
  [AAAA]: { flags: FLAGS.found, addresses: [[0x26, 6, ...Array(13).fill(0), 1]] },
};

test("T39: a name is looked up by no thread, which a silent name server would keep from all other lookups", async () => {
  const threads = () =>
    process.getActiveResourcesInfo().filter((kind) => kind === "GetAddrInfoReqWrap").length;
  const before = threads();
  const asked = resolveByDns("agent.example", [await nameServer((type) => FOUND[type] ?? null)]);
  expect(threads()).toBe(before);
  expect(await asked).toEqual(["93.184.215.14", "2606::1"]);
});

test("a name with addresses of one kind has these, also where the server fails to say the others", async () => {
  for (const flags of [FLAGS.found, FLAGS.failed]) {
    const server = await nameServer((type) => (type === A ? (FOUND[A] ?? null) : { flags }));
    expect(await resolveByDns("agent.example", [server])).toEqual(["93.184.215.14"]);
  }
});

test.each([
  ["unknown", "agent.example does not exist."],
  ["failed", "agent.example could not be resolved right now. Try again."],
] as const)("a name that is %s is said to be that", async (flags, message) => {
  const server = await nameServer(() => ({ flags: FLAGS[flags] }));
  const target = { host: "agent.example", literal: false } as Parameters<typeof addressesOf>[0];
  const asked = addressesOf(target, (host) => resolveByDns(host, [server]));
  await expect(asked).rejects.toMatchObject({ fault: { code: "name_unknown", message } });
});

test("this machine's own names need no name server", async () => {
  expect(await resolveByDns("localhost", ["127.0.0.1:1"])).toContain("127.0.0.1");
});
