import "server-only";
import type { LoopbackPolicy } from "@/lib/adapters/outbound/check-url.ts";
import { createOutbound } from "@/lib/adapters/outbound/outbound.ts";
import type { Outbound } from "@/lib/domain/outbound-ports.ts";
import type { Env } from "./env.ts";

/** Addresses of the parts this process started; what listens there is not for users. */
type OwnParts = { rpcUrl: string; cardsUrl: string | undefined };

/** The way out of this deployment (ADR 25). */
export function openOutbound(env: Env, parts: OwnParts): Outbound {
  return createOutbound({
    policy: {
      allowsHttp: env.environment === "sandbox",
      loopback: loopbackPolicy(env, parts),
    },
    userAgent: `Turnpike (+${env.origin})`,
  });
}

/** What may be called on this machine. */
export function loopbackPolicy(
  env: Pick<Env, "environment" | "host" | "outboundLoopbackPorts" | "databaseUrl">,
  { rpcUrl, cardsUrl }: OwnParts,
): LoopbackPolicy {
  if (env.environment !== "sandbox") return { allows: "nothing" };
  const own = [rpcUrl, cardsUrl, env.databaseUrl].flatMap((url) => (url ? [portOf(url)] : []));
  if (env.outboundLoopbackPorts) {
    const ports = env.outboundLoopbackPorts.filter((port) => !own.includes(port));
    return { allows: "ports", ports: new Set(ports) };
  }
  // A caller of this service could reach this machine's other services through it.
  if (!isLoopbackHost(env.host)) return { allows: "nothing" };
  return { allows: "all", except: new Set(own) };
}

const DEFAULT_PORTS: Record<string, number> = {
  "https:": 443,
  "http:": 80,
  "postgres:": 5432,
  "postgresql:": 5432,
};

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return Number(port || DEFAULT_PORTS[protocol]);
}

const isLoopbackHost = (host: string) =>
  host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
