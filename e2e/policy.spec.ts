import { createOperations } from "@turnpike/payments";
import { getFixedCreditsConfig, getFreePriceConfig } from "@turnpike/payments/protocol";
import { runs } from "../lib/console/operations.ts";
import { sampleRun } from "../lib/console/shared-run.ts";
import { disputedOrder, waitingOrder } from "./support/loaded-world.ts";
import { payOnce } from "./support/parties.ts";
import { DOCS_NAMES, pageRoutes } from "./support/routes.ts";
import { clientOf, readSandbox } from "./support/sandbox-file.ts";
import { signInAsDemo } from "./support/sign-in.ts";
import { expect, test } from "./support/test.ts";

/** Text that would run as markup or code if it were not escaped. */
const HOSTILE = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "javascript:alert(1)",
  "<svg/onload=alert(1)>",
  "{{constructor.constructor('alert()')()}}",
  "\u0024{alert(1)}",
  "</textarea></script><script>alert(1)</script>",
  "'-alert(1)-'",
  '=HYPERLINK("https://evil.example")',
];
/** URLs that every field must reject. */
const NO_LINKS = [
  "javascript:alert(1)",
  "java\nscript:alert(1)",
  " javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "vbscript:alert(1)",
  "//evil.example",
  "file:///etc/passwd",
];

/** A builder and a subscriber with hostile text everywhere, and the ids of their objects. */
async function createHostileWorld() {
  const sandbox = await readSandbox();
  const builder = clientOf(sandbox.builder);
  const subscriber = clientOf(sandbox.subscriber);
  const ids: Record<string, string>[] = [];
  for (const text of HOSTILE) {
    const texts = {
      name: text,
      description: text,
      author: text,
      license: text,
      tags: [text.slice(0, 40)],
    };
    const { planId } = await builder.plans.registerCreditsPlan(
      texts,
      getFreePriceConfig(),
      getFixedCreditsConfig(10n),
    );
    const { agentId } = await builder.agents.registerAgent(texts, {}, [planId]);
    const { orderId } = await subscriber.plans.orderPlan(planId);
    const { delegationId } = await subscriber.delegation.createDelegation({
      provider: "erc4337",
      spendingLimitCents: 1000n,
      durationSecs: 3600,
      currency: "usd",
      name: text,
    });
    const { tokenId } = await subscriber.x402.getX402AccessToken(planId, agentId);
    await builder.apiKeys.createApiKey({ name: text });
    const requestId = `hostile-${Date.now().toString(36)}-${ids.length}`;
    await builder.requests.reportRequests({
      requests: [
        {
          at: new Date().toISOString(),
          agentRequestId: requestId,
          method: "POST",
          path: `/${text}`,
          planId,
          agentId,
          httpStatus: 402,
          moneyStatus: "refused",
          reason: text,
        },
      ],
    });
    const run = { ...sampleRun, planName: text };
    const { shareId } = await createOperations(subscriber.connection, runs).shareRun(
      JSON.stringify({ ...run, input: { ...run.input, body: text } }),
    );
    ids.push({ planId, agentId, orderId, delegationId, tokenId, requestId, shareId });
  }
  const paidId = await payOnce();
  const { settlementId = "" } = await builder.requests.getRequest(paidId);
  const disputeId = await disputedOrder(builder, subscriber, sandbox.plans.card);
  const [{ delegationId = "" } = {}] = ids;
  // Only what was paid has an invoice.
  const { orderId: paidOrderId } = await subscriber.plans.orderPlan(sandbox.plans.crypto);
  const shared = {
    paidOrderId,
    settlementId,
    disputeId,
    address: sandbox.subscriber.address,
    approvalId: await waitingOrder(subscriber, sandbox.plans.crypto, delegationId),
  };
  return ids.map((one) => ({ ...one, ...shared }));
}

/** Pages of the subscriber; all others are opened as the builder. */
const SUBSCRIBERS =
  /^\/(balance\/invoices|checkout|approvals|delegations|payment-methods|subscriptions|tokens)/;

test("R13, T33: hostile text stays text on every page, and no page violates its content security policy @long", async ({
  page,
  browser,
}) => {
  test.setTimeout(420_000);
  const worlds = await createHostileWorld();
  const other = await (
    await browser.newContext({ baseURL: new URL("/", test.info().project.use.baseURL).href })
  ).newPage();
  const complaints: string[] = [];
  for (const each of [page, other]) {
    await each.exposeFunction("__complain", (text: string) => complaints.push(text));
    await each.addInitScript(() => {
      const complain = (window as never as { __complain: (text: string) => void }).__complain;
      window.alert = () => complain("alert");
      document.addEventListener("securitypolicyviolation", (event) => {
        complain(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`);
      });
    });
    each.on("dialog", (dialog) => {
      complaints.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
  }
  await signInAsDemo(page, "builder");
  await signInAsDemo(other, "subscriber");
  let visits = 0;
  const links = new Set<string>();
  for (const route of pageRoutes()) {
    const isNamed = route.includes("[");
    for (const world of isNamed ? worlds : worlds.slice(0, 1)) {
      const ids: Record<string, string> = { ...world, ...DOCS_NAMES };
      if (route.includes("/invoices/")) ids.orderId = world.paidOrderId;
      const path = route.replace(/\[(\w+)\]/g, (_, name: string) => ids[name] ?? "1");
      const who = SUBSCRIBERS.test(route) ? other : page;
      const answer = await who.goto(path);
      expect(answer?.status(), path).toBe(200);
      await who.getByRole("heading", { level: 1 }).first().waitFor();
      for (const href of await who
        .locator("a[href]")
        .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).protocol))) {
        links.add(href);
      }
      visits += 1;
    }
  }
  console.log(
    `policy: ${pageRoutes().length} routes, ${visits} visits with hostile text, ${complaints.length} violations`,
  );
  expect(complaints).toEqual([]);
  expect([...links].filter((protocol) => protocol !== "http:" && protocol !== "https:")).toEqual(
    [],
  );
  await other.context().close();
});

test("T33: link fields reject invalid links", async () => {
  const sandbox = await readSandbox();
  const builder = clientOf(sandbox.builder);
  for (const sampleLink of NO_LINKS) {
    const plan = builder.plans.registerCreditsPlan(
      { name: "Links", sampleLink },
      getFreePriceConfig(),
      getFixedCreditsConfig(10n),
    );
    await expect(plan, sampleLink).rejects.toMatchObject({ code: "invalid_input" });
    const agent = builder.agents.registerAgent(
      { name: "Links" },
      { agentDefinitionUrl: sampleLink },
    );
    await expect(agent, sampleLink).rejects.toMatchObject({ code: "invalid_input" });
  }
});
