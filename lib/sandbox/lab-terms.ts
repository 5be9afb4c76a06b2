import { z } from "zod";
import { LAB_PLANS } from "@/lib/playground/lab-places.ts";

/** The failure lab in the sandbox file; the paths of its agents are `LAB_PATHS`. */
export const SandboxLab = z.object({
  builder: z.object({ address: z.string().min(1), apiKey: z.string().min(1) }),
  plans: z.record(z.enum(LAB_PLANS), z.string()),
  agentId: z.string(),
  otherAgentId: z.string(),
  /** Origin of the lab's agents. */
  url: z.string(),
});
export type SandboxLab = z.output<typeof SandboxLab>;
