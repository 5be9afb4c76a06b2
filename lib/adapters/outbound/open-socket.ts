import { lookup, Resolver } from "node:dns/promises";
import { isIP, type Socket } from "node:net";
import { buildConnector } from "undici";
import { isSameAddress, kindOfAddress } from "./check-address.ts";
import { isLocalName, type Target } from "./check-url.ts";
import { fail, OutboundFault, refuse } from "./outbound-fault.ts";

/** Resolves all addresses of a name. */
export type Resolve = (host: string) => Promise<string[]>;
/** Connects to exactly one address. */
export type Connect = (place: Place, signal: AbortSignal) => Promise<Socket>;
export type Place = { address: string; port: number; isSecure: boolean; host: string };

/** What a name server says when it may know more later. */
const TRANSIENT = ["ETIMEOUT", "ESERVFAIL", "EREFUSED", "ECONNREFUSED", "EAI_AGAIN"];

const isTransient = ({ code = "" }: NodeJS.ErrnoException): boolean => TRANSIENT.includes(code);

/**
 * The addresses of a name, those of IPv4 first. `lookup` would ask in a thread of the process, of which two may wait: names
 * whose server is silent would keep everything else, such as the card processor's, from being looked up. `servers` are for
 * tests.
 */
export async function resolveByDns(host: string, servers?: string[]): Promise<string[]> {
  if (isLocalName(host)) {
    const answers = await lookup(host, { all: true, verbatim: true });
    return answers.map(({ address }) => address);
  }
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  if (servers) resolver.setServers(servers);
  const asked = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addresses = asked.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  if (addresses.length > 0) return addresses;
  const faults = asked.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  throw faults.find(isTransient) ?? faults[0];
}

/** A target's addresses: the target itself, or all addresses of its name. */
export async function addressesOf({ host, literal }: Target, resolve: Resolve): Promise<string[]> {
  if (literal) return [host];
  const addresses = await resolve(host).catch((cause: NodeJS.ErrnoException) => {
    throw fail(
      "name_unknown",
      isTransient(cause)
        ? `${host} could not be resolved right now. Try again.`
        : `${host} does not exist.`,
    );
  });
  if (addresses.length === 0) throw fail("name_unknown", `${host} does not exist.`);
  return [...new Set(addresses)];
}

// Some addresses may not respond, such as ::1 where only IPv4 listens; try a few.
const MAX_TRIES = 4;

/** Connects to the first checked address that responds, and verifies the peer's address. */
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
  throw refuse(
    "address_refused",
    "The connection reached a different address from the one that was checked.",
  );
}

/** Connects over TCP, with TLS for https. The certificate must match the hostname, not the address. */
export const connectByTcp: Connect = ({ address, port, isSecure, host }, signal) =>
  new Promise((opened, failed) => {
    // One connector per request, so that no other hostname can resume its TLS session.
    const connector = buildConnector({ timeout: 0, allowH2: false, maxCachedSessions: 0 });
    connector(
      {
        hostname: address,
        host: address,
        protocol: isSecure ? "https:" : "http:",
        port: String(port),
        // SNI takes hostnames, not IP addresses.
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
    return fail("connect_refused", `${host} refused the connection on port ${port}.`);
  }
  if (code === "ETIMEDOUT" || code === "UND_ERR_CONNECT_TIMEOUT") {
    return fail("connect_timeout", `${host} did not accept the connection in time.`);
  }
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|ALTNAME|EPROTO/.test(code)) {
    return fail("tls_invalid", `The TLS connection to ${host} failed: ${firstLine(message)}`);
  }
  return fail("connect_failed", `${host} could not be reached: ${code || firstLine(message)}.`);
}

const firstLine = (text: string) => (text.split("\n")[0] ?? "").slice(0, 200);
