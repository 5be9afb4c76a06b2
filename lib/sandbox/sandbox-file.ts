import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { PaymentsError, readJson } from "@turnpike/payments/protocol";
import { z } from "zod";
import { Builder, Party, SandboxLab } from "./lab-terms.ts";

/**
 * What a running sandbox provides to scripts, examples and tests: its URL, two accounts with their keys, three plans
 * and the demo agent. A stable contract; `chain` is present once the chain runs.
 */
export const SandboxFile = z.object({
  url: z.url({ protocol: /^https?$/ }),
  environment: z.literal("sandbox"),
  builder: Builder,
  subscriber: Party,
  /** Who pays for the run on the landing page; files of earlier releases have none. */
  visitor: Party.optional(),
  plans: z.object({ crypto: z.string(), card: z.string(), trial: z.string() }),
  agent: z.object({
    agentId: z.string(),
    url: z.url({ protocol: /^https?$/ }),
    /** Routes that any x402 wallet pays by `exact`: with a price, and with a plan it buys. */
    exactUrl: z.url({ protocol: /^https?$/ }).optional(),
    packUrl: z.url({ protocol: /^https?$/ }).optional(),
  }),
  /** Sellers of the stock x402 middleware that take `exact`: one settles through this service, one through a stock facilitator. */
  foreign: z
    .object({
      honoUrl: z.url({ protocol: /^https?$/ }),
      expressUrl: z.url({ protocol: /^https?$/ }),
    })
    .optional(),
  /** A wallet with test USDC and no account. */
  wallet: z.object({ address: z.string(), privateKey: z.string() }).optional(),
  /** The failure lab's builder, plans and agents. */
  lab: SandboxLab.optional(),
  /** Where the mails that the service sent can be read as JSON; absent where another mail server is set. */
  mailbox: z.object({ url: z.url({ protocol: /^https?$/ }) }).optional(),
  chain: z
    .object({
      rpcUrl: z.url(),
      chainId: z.int().positive(),
      contracts: z.record(z.string(), z.string()),
    })
    .optional(),
});
export type SandboxFile = z.output<typeof SandboxFile>;

/**
 * Reads the file that a running sandbox wrote. Throws `not_found` if it is missing and `invalid_input` if it is
 * malformed; both errors name the path.
 *
 * @example const { agent, subscriber } = await readSandboxFile(".turnpike/sandbox.json")
 */
export async function readSandboxFile(path: string): Promise<SandboxFile> {
  const text = await readText(path);
  const parsed = SandboxFile.safeParse(readJson(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new PaymentsError(
    "invalid_input",
    `${path} is not a sandbox file: ${issue?.path.join(".") || "document"}: ${issue?.message}`,
    { hint: "Delete it and restart the sandbox: npm start" },
  );
}

/** Reads the file, or returns `undefined` if there is none. */
export async function findSandboxFile(path: string): Promise<SandboxFile | undefined> {
  try {
    return await readSandboxFile(path);
  } catch (error) {
    if (PaymentsError.is(error) && error.code === "not_found") return undefined;
    throw error;
  }
}

/** Writes the file atomically, readable by its owner only, because it contains API keys. */
export async function writeSandboxFile(path: string, value: SandboxFile): Promise<void> {
  const text = `${JSON.stringify(SandboxFile.parse(value), null, 2)}\n`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Renaming within a folder is atomic, so readers see the old file or the new one.
  const draft = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    await writeFile(draft, text, { mode: 0o600, flag: "wx" });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
    throw new PaymentsError("not_found", `There is no sandbox file at ${path}.`, {
      hint: "Start the sandbox: npm start",
      cause,
    });
  }
}
