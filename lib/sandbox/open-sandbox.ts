import "server-only";
import { join } from "node:path";
import type { Hex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { z } from "zod";
import { deployContracts } from "@/lib/adapters/chain/deploy.ts";
import type { Deployment } from "@/lib/adapters/chain/deployment.ts";
import type { Log } from "@/lib/domain/ports.ts";
import type { OpenChain } from "@/lib/server/chain/open-chain.ts";
import { type Env, keyBytes, newSecretKey } from "@/lib/server/env.ts";
import { ownUrl } from "@/lib/server/own-url.ts";
import type { Progress } from "@/lib/server/progress.ts";
import { startEmbeddedProcessor } from "./card-processor/start-embedded-processor.ts";
import { startEmbeddedChain } from "./chain/embedded-chain.ts";
import { adminKeyOf } from "./chain/sandbox-roles.ts";
import { createFaultLab, type FaultLab, type LabParts } from "./fault-lab.ts";
import { lockInstance } from "./instance-lock.ts";
import { keepSecrets } from "./keep-secrets.ts";
import { startMailbox } from "./mailbox.ts";
import { findSandboxFile } from "./sandbox-file.ts";

/** The parts a live service takes from its settings and the sandbox provides itself. */
export type Sandbox = Awaited<ReturnType<typeof openSandbox>>;

/** Locks the data folder for this process. Nothing else is started until it is asked for. */
export async function openSandbox(env: Env, progress: Progress) {
  const unlock = await lockInstance(env.dataDir);
  try {
    const secrets = loadSandboxSecrets(env.dataDir);
    const secretKey = keyBytes(secrets.secretKey);
    const keys = {
      settlerPrivateKey: `0x${secrets.settlerPrivateKey}`,
      adminPrivateKey: adminKeyOf(secretKey),
    } as const;
    return {
      secretKey,
      startChain: () => startChain(env, keys, progress),
      startCardProcessor: () => startCardProcessor(env, progress),
      startMailbox: () =>
        progress.step("mailbox", "embedded", () => startMailbox(join(env.dataDir, "mail"))),
      openLab,
      close: unlock,
    };
  } catch (cause) {
    await unlock();
    throw cause;
  }
}

function startChain(
  env: Env,
  keys: { settlerPrivateKey: Hex; adminPrivateKey: Hex },
  progress: Progress,
): Promise<OpenChain> {
  return progress.step("chain", "embedded, id 84532", async () => {
    const { rpcUrl, journal, stop } = await startEmbeddedChain({
      dataDir: join(env.dataDir, "chain"),
    });
    try {
      const account = { rpcUrl, settlerPrivateKey: keys.settlerPrivateKey, journal };
      const admin = privateKeyToAddress(keys.adminPrivateKey);
      const deployment = await deployContracts({ ...account, admin, sandbox: true });
      await requireSameContracts(env.dataDir, deployment);
      return { ...account, adminPrivateKey: keys.adminPrivateKey, deployment, stop };
    } catch (cause) {
      await stop();
      throw cause;
    }
  });
}

/** Credits and tokens belong to the contracts they were made for: a folder of an earlier release cannot go on. */
async function requireSameContracts(dataDir: string, deployment: Deployment): Promise<void> {
  const before = await findSandboxFile(join(dataDir, "sandbox.json")).catch(() => undefined);
  const used = before?.chain?.contracts;
  const isSame = (name: "plans" | "usdc") =>
    (used?.[name] ?? deployment[name]) === deployment[name];
  if (isSame("plans") && isSame("usdc")) return;
  throw new Error(
    `${dataDir} was made with an earlier release's contracts. Move or remove it to start an empty sandbox.`,
  );
}

function startCardProcessor(env: Env, progress: Progress) {
  const webhook = env.port !== 0 && { url: `${ownUrl(env)}/api/webhooks/cards` };
  return progress.step("card processor", "embedded", () =>
    startEmbeddedProcessor({
      dataDir: join(env.dataDir, "cards"),
      ...(webhook && { webhook }),
    }),
  );
}

/** Opens the failure lab and resumes orders: a pause on chain outlives the lab that asked for it. */
async function openLab(
  parts: LabParts & Required<Pick<LabParts, "pauseChain">>,
  log: Log,
): Promise<FaultLab> {
  await parts
    .pauseChain(false)
    .catch((cause) => log.warn({ cause: String(cause) }, "could not resume orders"));
  return createFaultLab(parts);
}

const Key = z.string().regex(/^[0-9a-f]{64}$/);
const Secrets = z.object({ secretKey: Key, settlerPrivateKey: Key });

/** The sandbox's secrets, stored with its data. */
const loadSandboxSecrets = (dataDir: string): z.output<typeof Secrets> =>
  keepSecrets(join(dataDir, "secrets.json"), Secrets, () => ({
    secretKey: newSecretKey(),
    settlerPrivateKey: newSecretKey(),
  }));
