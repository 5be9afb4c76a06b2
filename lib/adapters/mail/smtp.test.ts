import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { afterEach, expect, test, vi } from "vitest";
import { createSmtp } from "./smtp.ts";

const MAIL = { to: "a@example.com", subject: "Hello", text: "Hello", messageId: "<1@example.com>" };
const FROM = "Turnpike <no-reply@turnpike.test>";
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A mail server without TLS, which notes what it is told; `answer` replaces what it says. */
async function plainServer(answer?: (line: string, socket: Socket) => boolean) {
  const told: string[] = [];
  const server: Server = createServer((socket) => {
    socket.on("error", () => {});
    ends.push(() => socket.destroy());
    socket.write("220 mail\r\n");
    socket.on("data", (data) => {
      for (const line of String(data).split("\r\n").filter(Boolean)) {
        told.push(line);
        if (answer?.(line, socket)) continue;
        if (line.startsWith("EHLO")) socket.write("250-mail\r\n250 AUTH PLAIN LOGIN\r\n");
        else if (line.startsWith("AUTH")) socket.write("235 in\r\n");
        else if (line === "DATA") socket.write("354 go on\r\n");
        else if (/^(MAIL|RCPT|\.)/.test(line)) socket.write("250 ok\r\n");
        else if (line === "STARTTLS") socket.write("502 no\r\n");
      }
    });
  });
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  ends.push(() => server.close());
  return { port: (server.address() as AddressInfo).port, told };
}

function send(url: string): Promise<void> {
  const smtp = createSmtp({ url, from: FROM });
  ends.push(smtp.close);
  return smtp.sendMail(MAIL);
}

/** An address of this machine that is not loopback. */
const [outside] = Object.values(networkInterfaces())
  .flat()
  .flatMap((each) => (each && !each.internal && each.family === "IPv4" ? [each.address] : []));

test.skipIf(!outside)("no password and no mail goes to a server without TLS", async () => {
  const { port, told } = await plainServer();
  await expect(send(`smtp://user:secret@${outside}:${port}`)).rejects.toThrow(/STARTTLS/);
  expect(told.filter((line) => !/^(EHLO|STARTTLS|QUIT)/.test(line))).toEqual([]);
});

test.skipIf(!outside)("a private relay without TLS is allowed by its address", async () => {
  const { port, told } = await plainServer();
  await send(`smtp://${outside}:${port}?requireTLS=false`);
  expect(told).toContain("DATA");
});

test("a server on this machine needs no TLS", async () => {
  for (const host of ["127.0.0.1", "localhost"]) {
    const { port, told } = await plainServer();
    await send(`smtp://user:secret@${host}:${port}`);
    expect(told).toContain("DATA");
  }
});

test("a server that keeps answering a line is given up after a minute, and the mail is not sent later", async () => {
  const timers = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    expect(ms).toBe(60_000);
    const controller = new AbortController();
    setTimeout(() => controller.abort(new DOMException("too long", "TimeoutError")), 200);
    return controller.signal;
  });
  let drips: NodeJS.Timeout | undefined;
  const ended: string[] = [];
  const { port, told } = await plainServer((line, socket) => {
    if (!line.startsWith("MAIL")) return false;
    drips = setInterval(() => socket.writable && socket.write("250-and\r\n"), 20);
    socket.once("close", () => ended.push("closed"));
    return true;
  });
  ends.push(() => clearInterval(drips));
  await expect(send(`smtp://127.0.0.1:${port}`)).rejects.toThrow();
  expect(timers).toHaveBeenCalledOnce();
  await vi.waitFor(() => expect(ended).toEqual(["closed"]), { timeout: 10_000 });
  expect(told).not.toContain("DATA");
});
