import type { Permission } from "./choose-permission.ts";
import type { Exchange } from "./exchange.ts";
import type { Judged } from "./judge-answer.ts";
import type { PlaygroundService, Transport } from "./ports.ts";
import type { ReadOffer } from "./read-offer.ts";
import type { Fact, Run, RunInput, StepId } from "./run.ts";

export type EngineOptions = {
  input: RunInput;
  transport: Transport;
  service: PlaygroundService;
  signal: AbortSignal;
  /** Asked before each step; `stop` ends the run there. For single steps, and for the question before paying in live. */
  mayStep?: (id: StepId) => Promise<"go" | "stop">;
  /** How long to look for a settlement that did not come with the answer. */
  lookForMs?: number;
  pause?: (ms: number) => Promise<void>;
};

/** What a step did, beside what later steps need from it. */
export type Done = Judged & {
  facts?: Fact[];
  exchange?: Exchange;
  reason?: string | null;
};

/** What the steps of one run share: its options, and what earlier steps found. */
export type Scene = EngineOptions & {
  run: Run;
  progress: string[];
  wake?: () => void;
  ask?: Exchange;
  offer?: ReadOffer;
  permission?: Permission;
  verified?: { agentRequestId: string | null; words: string; topsUp?: boolean };
  paid?: Exchange;
};
