import "server-only";
import { ownAddresses } from "@/lib/adapters/outbound/check-address.ts";
import {
  checkAddresses,
  type LoopbackPolicy,
  type OutboundPolicy,
  readTarget,
} from "@/lib/adapters/outbound/check-url.ts";
import { createOutbound } from "@/lib/adapters/outbound/outbound.ts";
import { OutboundFault } from "@/lib/adapters/outbound/outbound-fault.ts";
import type { Outbound } from "@/lib/domain/outbound-ports.ts";
import type { Env } from "./env.ts";

/** Addresses of the parts this process started; what listens there is not for users. */
type OwnParts = {
  rpcUrl: string | undefined;
  cardsUrl: string | undefined;
  smtpUrl: string | undefined;
};

const policyOf = (env: Env, parts: OwnParts): OutboundPolicy => ({
  allowsHttp: env.environment === "sandbox",
  loopback: loopbackPolicy(env, parts),
});

/** The way out of this deployment (ADR 25). */
export function openOutbound(env: Env, parts: OwnParts): Outbound {
  return createOutbound({
    policy: policyOf(env, parts),
    userAgent: `Turnpike (+${env.origin})`,
  });
}

/** Why an endpoint's URL would be refused whatever it resolves to, or null. */
export const urlFault = (env: Env, parts: OwnParts) => {
  const policy = policyOf(env, parts);
  return (url: string): string | null => {
    try {
      const target = readTarget(url, policy);
      if (target.literal) checkAddresses(target, [target.host], policy, ownAddresses());
      return null;
    } catch (cause) {
      if (cause instanceof OutboundFault && "message" in cause.fault) return cause.fault.message;
      throw cause;
    }
  };
};

/** What may be called on this machine. */
export function loopbackPolicy(
  env: Reachable & Pick<Env, "environment" | "outboundLoopbackPorts" | "databaseUrl" | "metrics">,
  { rpcUrl, cardsUrl, smtpUrl }: OwnParts,
): LoopbackPolicy {
  if (env.environment !== "sandbox") return { allows: "nothing" };
  const urls = [rpcUrl, cardsUrl, smtpUrl, env.databaseUrl].flatMap((url) => url ?? []);
  const own = [...urls.map(portOf), ...(env.metrics ? [env.metrics.port] : [])];
  if (env.outboundLoopbackPorts) {
    const ports = env.outboundLoopbackPorts.filter((port) => !own.includes(port));
    return { allows: "ports", ports: new Set(ports) };
  }
  // A caller of this service could reach this machine's other services through it.
  if (isReachableByOthers(env)) return { allows: "nothing" };
  return { allows: "all", except: new Set(own) };
}

type Reachable = Pick<Env, "host" | "origin" | "trustedProxies">;

/** Also on a loopback address, when a proxy or a tunnel of this machine passes on what others send. */
const isReachableByOthers = ({ host, origin, trustedProxies }: Reachable): boolean =>
  trustedProxies > 0 || !isLoopbackHost(host) || !isLoopbackHost(new URL(origin).hostname);

const DEFAULT_PORTS: Record<string, number> = {
  "https:": 443,
  "http:": 80,
  "postgres:": 5432,
  "postgresql:": 5432,
  "smtp:": 25,
  "smtps:": 465,
};

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return Number(port || DEFAULT_PORTS[protocol]);
}

const isLoopbackHost = (host: string) =>
  host === "localhost" || host === "::1" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
