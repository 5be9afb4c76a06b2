import { type EngineOptions, runPlayground } from "@/lib/playground/engine.ts";
import type { Fault } from "@/lib/playground/faults.ts";
import { type LabOptions, runFault } from "@/lib/playground/run-fault.ts";
import type { RequestDraft } from "../request/request-draft.ts";
import { browserTransport } from "./browser-transport.ts";
import { createLabService, type LabActions } from "./lab-service.ts";
import { patient } from "./patient-transport.ts";
import { createServerTransport } from "./server-transport.ts";
import type { RunService } from "./session-service.ts";

// Loaded with the first run: only `fetchEngine` may import this file.

export type PlayOptions = Omit<EngineOptions, "transport" | "service"> & {
  service: RunService;
  from: RequestDraft["from"];
};

/** A run, sent from where the user chose; with both, the server pays. */
export const playRun = ({ from, ...options }: PlayOptions) =>
  runPlayground({
    ...options,
    transport: from === "browser" ? browserTransport : createServerTransport(options.service),
  });

export type PlayFaultOptions = Omit<LabOptions, "lab" | "transport" | "service"> & {
  service: RunService;
  actions: LabActions;
};

/** A fault of the failure lab, sent through the service. */
export const playFault = (fault: Fault, { actions, ...options }: PlayFaultOptions) =>
  runFault(fault, {
    ...options,
    lab: createLabService(actions),
    transport: patient(createServerTransport(options.service)),
  });
