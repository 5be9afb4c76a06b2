import { PaymentsError } from "@turnpike/payments/protocol";
import { expect, test, vi } from "vitest";
import * as z from "zod/mini";
import { createPipeline, type PipelineOptions } from "./perform.ts";
import type { ServedOperation } from "./served-operations.ts";

const ROW = {
  access: "public",
  lane: "api",
  stepUp: false,
  callerReadBy: "pipeline",
  maxInput: 1_000,
  audience: "protocol",
  input: z.object({}),
} as const;

test.each([
  { what: "a gate's report", scope: "calls", fails: false, loads: 1 },
  { what: "a refused change of a plan", scope: "plans", fails: true, loads: 1 },
  { what: "a change of a plan", scope: "plans", fails: false, loads: 2 },
  { what: "a move of the sandbox's clock", scope: "sandbox", fails: false, loads: 2 },
] as const)("T20: after $what, a public read has run $loads times", async (each) => {
  const read = vi.fn(async () => ({ items: [] }));
  const write = async () => {
    if (each.fails) throw new PaymentsError("not_found", "There is no such plan.");
  };
  const operations = [
    { name: "read", verb: read, row: { ...ROW, scope: "plans", method: "GET", cacheSecs: 60 } },
    {
      name: "write",
      verb: write,
      row: { ...ROW, scope: each.scope, audience: each.scope, method: "POST" },
    },
  ] as unknown as ServedOperation[];
  const ports = {
    log: { info() {}, warn() {}, error() {} },
  } as unknown as PipelineOptions["ports"];
  const pipeline = createPipeline({ ports, operations });
  const call = (name: string) =>
    pipeline.perform({
      operation: pipeline.find(name),
      input: {},
      credentials: null,
      requestId: "one",
    });
  await call("read");
  await call("write").catch(() => {});
  await call("read");
  expect(read).toHaveBeenCalledTimes(each.loads);
});
