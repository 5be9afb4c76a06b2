import { join } from "node:path";
import { z } from "zod";
import { newSecretKey } from "@/lib/server/env.ts";
import { keepSecrets } from "./keep-secrets.ts";

const Key = z.string().regex(/^[0-9a-f]{64}$/);
const Secrets = z.object({ secretKey: Key, settlerPrivateKey: Key });

/** The sandbox's secrets, stored with its data. */
export const loadSandboxSecrets = (dataDir: string): z.output<typeof Secrets> =>
  keepSecrets(join(dataDir, "secrets.json"), Secrets, () => ({
    secretKey: newSecretKey(),
    settlerPrivateKey: newSecretKey(),
  }));
