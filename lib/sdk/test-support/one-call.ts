// Run in its own process: a script that serves one paid call by a gate with its journal in a folder, prints that it did, and ends.
import { Payments } from "../client/payments.ts";
import { createGate } from "../gate/gate.ts";
import { createDurableQueue } from "../gate/queue/durable-queue.ts";
import { createFileStore } from "../gate/queue/file-store.ts";
import { tokenTextOf } from "./fake-service.ts";

const [baseUrl = "", apiKey = "", folder = ""] = process.argv.slice(2);
const gate = createGate(
  Payments.getInstance({ apiKey, baseUrl }),
  { "POST /ask": { planId: "42" } },
  { queue: createDurableQueue(createFileStore({ folder })), logger: { error: () => {} } },
);
const headers = { "payment-signature": tokenTextOf("42") };
const request = new Request("http://agent.test/ask", { method: "POST", headers });
const answer = await gate(request, () => new Response("done"));
console.log(answer.status, await answer.text());
