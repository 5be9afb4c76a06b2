import { z } from "zod";
import { LAB_PLANS } from "@/lib/playground/lab-places.ts";

export const Party = z.object({ address: z.string().min(1), apiKey: z.string().min(1) });

/** `apiKey` is the person's own; `gateKey` is the agents', and can do no more than they need. */
export const Builder = Party.extend({ gateKey: z.string().min(1).optional() });

/** The key of a builder's agents; files of earlier releases have only one key. */
export const gateKeyOf = ({ apiKey, gateKey = apiKey }: z.output<typeof Builder>): string =>
  gateKey;

/** The failure lab in the sandbox file; the paths of its agents are `LAB_PATHS`. */
export const SandboxLab = z.object({
  builder: Builder,
  plans: z.record(z.enum(LAB_PLANS), z.string()),
  agentId: z.string(),
  otherAgentId: z.string(),
  /** Origin of the lab's agents. */
  url: z.string(),
});
export type SandboxLab = z.output<typeof SandboxLab>;
