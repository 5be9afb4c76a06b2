import { randomUUID } from "node:crypto";
import { afterEach, expect, test, vi } from "vitest";
import { loadRare } from "../client/rare-group.ts";
import { Payments } from "../index.ts";
import { apiKeyOf, BUILDER } from "../test-support/fake-service.ts";
import { serviceOf } from "./service.ts";

afterEach(() => void vi.useRealTimers());

test("a batch of settlements waits for the service for half a minute, also where clients wait longer", async () => {
  await loadRare();
  vi.useFakeTimers();
  const payments = Payments.getInstance({
    apiKey: apiKeyOf(BUILDER),
    timeoutMs: 600_000,
    fetch: () => new Promise(() => {}),
  });
  const settling = serviceOf(payments).settleBatch([
    { leaseId: randomUUID(), agentRequestId: randomUUID() },
  ]);
  const ended = expect(settling).rejects.toMatchObject({ code: "timeout" });
  await vi.advanceTimersByTimeAsync(30_000);
  await ended;
});
