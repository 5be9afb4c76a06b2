import { readPublic } from "@/app/_session/operations.ts";
import { readSession } from "@/app/_session/session.ts";
import { readPresets } from "@/app/(dashboard)/read-presets.ts";
import { findSandbox } from "@/app/demo/find-sandbox.ts";
import { Playground } from "@/components/playground/playground.tsx";
import {
  draftOf,
  METHODS,
  type RequestDraft,
} from "@/components/playground/request/request-draft.ts";
import type { Searched } from "@/components/search-params.ts";
import { readSharedRun } from "@/lib/playground/read-shared-run.ts";
import { getRunning } from "@/lib/server/running.ts";
import { endSharedRun, shareRun } from "./actions.ts";
import * as runActions from "./run-actions.ts";

export const metadata = {
  title: "Playground",
  description:
    "Call any paid API, read what it asks for, and see what it costs. No account needed.",
};

export default async function PlaygroundPage({ searchParams }: Searched) {
  const [session, { env }, given] = [await readSession(), await getRunning(), await searchParams];
  const account = session?.account.address ?? null;
  const lab = account === null ? undefined : await readLab();
  return (
    <Playground
      account={account}
      service={{ origin: env.origin, environment: env.environment }}
      presets={await readPresets(account)}
      filled={await readFilled(given)}
      continues={typeof given.run === "string" ? given.run : null}
      isRehearsing={lab !== undefined && given.rehearse === "1"}
      actions={{ ...runActions, shareRun, endSharedRun }}
      {...(lab && { lab })}
    />
  );
}

/** The failure lab without its builder's API key; undefined outside the sandbox. */
async function readLab() {
  const lab = (await findSandbox())?.lab;
  if (!lab) return undefined;
  const { builder: _, ...places } = lab;
  return places;
}

/** A link fills in the request but never runs it. It cannot carry a token. */
async function readFilled(
  given: Record<string, string | string[] | undefined>,
): Promise<Partial<RequestDraft>> {
  const text = (name: string) => (typeof given[name] === "string" ? given[name] : undefined);
  const shared = await readShared(text("shared"));
  if (shared) return shared;
  const agent = await readEndpoint(text("agent"));
  const url = text("url") ?? agent?.url;
  const method = (text("method") ?? agent?.method)?.toUpperCase();
  const planId = text("plan");
  return {
    ...(url && url.length <= 4096 && { url }),
    ...(METHODS.some((known) => known === method) && { method: method as string }),
    ...(planId && /^\d{1,78}$/.test(planId) && { planId }),
  };
}

/** The first endpoint of an agent; undefined for an unknown agent. */
async function readEndpoint(agentId: string | undefined) {
  if (!agentId || agentId.length > 128) return undefined;
  const agent = await readPublic("getAgent", { agentId }).catch(() => null);
  const [first] = Object.entries(agent?.metadata.agent.endpoints[0] ?? {});
  return first && { method: first[0], url: first[1] };
}

/** The request of a shared run, without the removed parts. */
async function readShared(shareId: string | undefined): Promise<Partial<RequestDraft> | undefined> {
  if (!shareId || shareId.length > 64) return undefined;
  const shared = await readPublic("getSharedRun", { shareId });
  if (!shared) return undefined;
  const { token: _, ...request } = draftOf(readSharedRun(shared.run).input);
  return request;
}
