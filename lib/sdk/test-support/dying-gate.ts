// Run in its own process: answers one request, and is killed on the way.
import { Payments } from "../client/payments.ts";
import { createGate } from "../gate/gate.ts";
import { createMemoryQueue } from "../gate/queue/memory-queue.ts";
import { createFolderAnswers } from "./folder-answers.ts";

const [baseUrl = "", apiKey = "", planId = "", folder = "", headers = "{}", point] =
  process.argv.slice(2);
const dieAt = (reached: string) => {
  if (reached === point) process.kill(process.pid, "SIGKILL");
};
const payments = Payments.getInstance({
  apiKey,
  baseUrl,
  async fetch(input, init) {
    const isSettle = String(input).endsWith("/settle");
    if (isSettle) dieAt("before the settlement");
    const answer = await fetch(input, init);
    if (isSettle) dieAt("after the settlement");
    return answer;
  },
});
const answers = createFolderAnswers(folder);
let isSettled = false;
const gate = createGate(
  payments,
  { "POST /ask": { planId } },
  {
    queue: createMemoryQueue(),
    report: false,
    answers: {
      ...answers,
      async keep(key, answer) {
        dieAt("before it keeps its response");
        await answers.keep(key, answer);
        if (answer.head !== "") isSettled = true;
        if (isSettled) dieAt("after it kept its receipt");
      },
    },
  },
);
const init = { method: "POST", body: "why", headers: JSON.parse(headers) };
await gate(new Request("https://agent.example/ask", init), () =>
  Response.json({ worked: 1 }, { headers: { "set-cookie": "a=1", "x-own": "yes" } }),
);
