import type { MoneyStatus, RequestRecord } from "@turnpike/payments/protocol";
import { creditsText } from "./credits-text.ts";
import { worthValues } from "./credits-worth.ts";
import type { Done, Scene } from "./scene.ts";

const LOOK_FOR_MS = 30_000;
const LOOK_EVERY_MS = 1_500;

/** Looks for a settlement the answer did not carry: by request id, for half a minute. */
export async function lookForSettlement(scene: Scene): Promise<Done> {
  const { run, service, paid, signal } = scene;
  const { lookForMs = LOOK_FOR_MS, pause = wait } = scene;
  const status = String(paid?.answer?.status ?? "");
  const start = performance.now();
  let asked = 0;
  for (;;) {
    const record = await readRecord(scene);
    asked += 1;
    if (record?.moneyStatus === "settled") {
      const after = await service.readBalance(record.planId ?? run.planId ?? "").then(
        ({ balance }) => String(balance),
        () => "?",
      );
      const credits = creditsText(BigInt(record.credits));
      run.credits = { before: String(scene.permission?.before ?? ""), after };
      const worth = worthValues(scene.permission?.plan ?? null, BigInt(record.credits));
      return { outcome: "settled-later", values: { credits, after, ...worth } };
    }
    const waitedMs = performance.now() - start;
    if (waitedMs >= lookForMs || signal.aborted || !run.agentRequestId || !service.account) {
      return {
        outcome: "delivered-unsettled",
        values: { status, waited: String(Math.round(waitedMs / 1000)) },
        facts: [
          {
            name: "payment-response",
            value: "missing",
            holds: false,
            note: `expected after ${status}`,
          },
          {
            name: "getRequest",
            value: record?.moneyStatus ?? "not found",
            holds: false,
            note: `asked ${asked} ${asked === 1 ? "time" : "times"}`,
          },
          {
            name: "agentRequestId",
            value: run.agentRequestId ?? "missing",
            holds: null,
            note: "same on each retry",
          },
        ],
      };
    }
    scene.progress.push(
      `Looking for the settlement, ${Math.round(waitedMs / 1000)} of ${lookForMs / 1000} s.`,
    );
    scene.wake?.();
    await pause(LOOK_EVERY_MS);
  }
}

/** Whether the service says that the credits on hold went back; false when it cannot say. */
export async function wasGivenBack(scene: Scene): Promise<boolean> {
  const { pause = wait } = scene;
  const settledStates: MoneyStatus[] = ["not-charged", "refused", "free"];
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const record = await readRecord(scene);
    if (record && settledStates.includes(record.moneyStatus)) return true;
    if (!scene.run.agentRequestId || !scene.service.account) return false;
    await pause(250);
  }
  return false;
}

async function readRecord({ run, service }: Scene): Promise<RequestRecord | null> {
  if (!run.agentRequestId || !service.account) return null;
  return service.findRequest(run.agentRequestId).catch(() => null);
}

const wait = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
