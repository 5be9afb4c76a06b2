import { lookup } from "node:dns/promises";
import { isIP, type Socket } from "node:net";
import { buildConnector } from "undici";
import { isSameAddress, kindOfAddress } from "./check-address.ts";
import type { Target } from "./check-url.ts";
import { fail, OutboundFault, refuse } from "./outbound-fault.ts";

/** All addresses of a name, asked once. */
export type Resolve = (host: string) => Promise<string[]>;
/** Opens a connection to an address, and nothing else than that address. */
export type Connect = (place: Place, signal: AbortSignal) => Promise<Socket>;
export type Place = { address: string; port: number; isSecure: boolean; host: string };

export const resolveByDns: Resolve = async (host) => {
  const answers = await lookup(host, { all: true, verbatim: true });
  return answers.map(({ address }) => address);
};

/** The addresses a target stands for: itself, or all its name has. */
export async function addressesOf({ host, literal }: Target, resolve: Resolve): Promise<string[]> {
  if (literal) return [host];
  const addresses = await resolve(host).catch((cause: NodeJS.ErrnoException) => {
    const isTransient = cause.code === "EAI_AGAIN" || cause.code === "ETIMEOUT";
    throw fail(
      "name_unknown",
      isTransient
        ? `The name ${host} could not be looked up just now.`
        : `There is no host named ${host}.`,
    );
  });
  if (addresses.length === 0) throw fail("name_unknown", `There is no host named ${host}.`);
  return [...new Set(addresses)];
}

// Several answers may be dead ends, as `localhost` where only IPv4 listens; a few are enough.
const MAX_TRIES = 4;

/** Connects to the first checked address that answers, and checks who answered. */
export async function openSocket(
  target: Target,
  addresses: readonly string[],
  connect: Connect,
  signal: AbortSignal,
): Promise<{ socket: Socket; address: string }> {
  let last: unknown;
  for (const address of addresses.slice(0, MAX_TRIES)) {
    const { port, isSecure, host } = target;
    try {
      const socket = await connect({ address, port, isSecure, host }, signal);
      checkRemote(socket, address);
      return { socket, address };
    } catch (cause) {
      if (cause instanceof OutboundFault || signal.aborted) throw cause;
      last = cause;
    }
  }
  throw explainConnect(last, target);
}

function checkRemote(socket: Socket, address: string): void {
  const remote = socket.remoteAddress ?? "";
  const isSame = isSameAddress(remote, address);
  if (isSame && kindOfAddress(remote) === kindOfAddress(address)) return;
  socket.destroy();
  throw refuse("address_refused", "The connection led to another address than the one checked.");
}

/** Over TCP, with TLS where asked; the certificate must be the name's, whatever address was taken. */
export const connectByTcp: Connect = ({ address, port, isSecure, host }, signal) =>
  new Promise((opened, failed) => {
    // A connector of one request: it keeps no session that another name could resume.
    const connector = buildConnector({ timeout: 0, allowH2: false, maxCachedSessions: 0 });
    connector(
      {
        hostname: address,
        host: address,
        protocol: isSecure ? "https:" : "http:",
        port: String(port),
        // A name in SNI is a name; an IP address has none.
        ...(isIP(host) === 0 && { servername: host.replace(/\.$/, "") }),
      },
      (cause, socket) => {
        if (cause) failed(cause);
        else if (signal.aborted) {
          socket.destroy();
          failed(signal.reason);
        } else opened(socket);
      },
    );
  });

function explainConnect(cause: unknown, { host, port }: Target): OutboundFault {
  const { code = "", message = String(cause) } = (cause ?? {}) as NodeJS.ErrnoException;
  if (code === "ECONNREFUSED") {
    return fail("connect_refused", `Nothing listens on port ${port} of ${host}.`);
  }
  if (code === "ETIMEDOUT" || code === "UND_ERR_CONNECT_TIMEOUT") {
    return fail("connect_timeout", `${host} did not take the connection in time.`);
  }
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|ALTNAME|EPROTO/.test(code)) {
    return fail("tls_invalid", `The TLS connection to ${host} is not sound: ${firstLine(message)}`);
  }
  return fail("connect_failed", `${host} could not be reached: ${code || firstLine(message)}.`);
}

const firstLine = (text: string) => (text.split("\n")[0] ?? "").slice(0, 200);
