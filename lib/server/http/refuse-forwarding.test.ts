import { expect, test } from "vitest";
import { refuseForwarding } from "./refuse-forwarding.ts";

test("T31: Next's requests to itself are answered in the process, all others are sent", async () => {
  const sent: unknown[] = [];
  const scope = {
    fetch: (async (input) => {
      sent.push(input);
      return new Response("sent");
    }) as typeof fetch,
  };
  refuseForwarding(scope);
  const internal = (method: string) => ({ method, next: { internal: 1 } }) as RequestInit;

  const action = await scope.fetch("http://localhost:3000/plans", internal("POST"));
  expect(action.status).toBe(404);
  expect(action.headers.get("x-nextjs-action-not-found")).toBe("1");
  const page = await scope.fetch("http://localhost:3000/", internal("GET"));
  expect([page.status, await page.text()]).toEqual([204, ""]);
  expect(sent).toEqual([]);

  expect(await (await scope.fetch("https://agent.example", { method: "POST" })).text()).toBe(
    "sent",
  );
  expect(sent).toEqual(["https://agent.example"]);
});
