import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Payments as Client } from "@turnpike/payments";
import { Payments } from "@turnpike/payments";
import { serviceDataDir, serviceUrl } from "./service-url.ts";

type Party = { address: string; apiKey: string };
export type Sandbox = {
  url: string;
  builder: Party;
  subscriber: Party;
  plans: { crypto: string; card: string; trial: string };
  agent: { agentId: string; url: string };
  foreign: { honoUrl: string; expressUrl: string };
  lab: { url: string; builder: Party; plans: Record<string, string> };
  mailbox: { url: string };
  chain: { rpcUrl: string; contracts: Record<string, string> };
};

/** The sandbox file of the service under test. */
export async function readSandbox(): Promise<Sandbox> {
  const dataDir = serviceDataDir() ?? process.env.TURNPIKE_DATA_DIR ?? ".turnpike";
  return JSON.parse(await readFile(join(dataDir, "sandbox.json"), "utf8"));
}

/** A client with an account's API key. */
export const clientOf = ({ apiKey }: Pick<Party, "apiKey">): Client =>
  Payments.getInstance({ apiKey, environment: "sandbox", baseUrl: serviceUrl() ?? "" });
