import {
  decodeAccessToken,
  type Examples,
  type Operation,
  operations,
} from "@turnpike/payments/protocol";
import { consoleOperations } from "@/lib/console/operations.ts";
import { sandbox } from "@/lib/sandbox/operations.ts";
import { sampleRequirement } from "@/lib/sdk/protocol/operations/permissions.ts";

export const allOperations = { ...operations, ...consoleOperations, ...sandbox };
export type OperationName = keyof typeof allOperations;
export const allRows: [OperationName, Operation][] = Object.entries(allOperations) as never;

type Sample = (examples: Examples) => Record<string, unknown>;

/** A valid input for every operation. */
export const samples = Object.fromEntries(
  allRows.map(([name, row]) => [name, row.sample]),
) as Record<OperationName, Sample>;

/** What the market's agent asks for. */
export const requirementOf: typeof sampleRequirement = sampleRequirement;

/** The input of verify and settle in the form of a stock facilitator. */
export const stockSample: Sample = (examples) => ({
  x402Version: 2,
  paymentPayload: {
    ...decodeAccessToken(examples.token),
    resource: { url: examples.endpoint },
  },
  paymentRequirements: sampleRequirement(examples).accepts[0],
});

let ids = 0;
export const freshId = (): string => `request-${(++ids).toString().padStart(12, "0")}`;
