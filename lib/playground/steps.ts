import {
  decodeAccessToken,
  PaymentsError,
  X402_HEADERS,
  type X402PaymentRequired,
} from "@turnpike/payments/protocol";
import { choosePermission, type Permission } from "./choose-permission.ts";
import { creditsText, groupedText } from "./credits-text.ts";
import { worthValues } from "./credits-worth.ts";
import { type Exchange, type HeaderLine, headerOf, jsonOf, TOKEN_NAME } from "./exchange.ts";
import { lookForSettlement, wasGivenBack } from "./find-settlement.ts";
import { judgeAsk, judgePaid } from "./judge-answer.ts";
import type { PlaygroundService } from "./ports.ts";
import { readOffer } from "./read-offer.ts";
import { compareReceipt, readReceipt } from "./read-receipt.ts";
import type { StepId } from "./run.ts";
import type { Done, Scene } from "./scene.ts";

/** What the plan is called, or its id where it cannot be read. */
async function nameOfPlan(service: PlaygroundService, planId = ""): Promise<string> {
  const plan = planId ? await service.readPlan(planId).catch(() => null) : null;
  return plan?.metadata.main.name ?? planId;
}

const send = (scene: Scene, token: string | null): Promise<Exchange> => {
  const { input, transport, signal } = scene;
  const headers = input.headers.filter(
    ([name]) => name.toLowerCase() !== X402_HEADERS.PAYMENT_SIGNATURE,
  );
  const onProgress = (words: string) => {
    scene.progress.push(words);
    scene.wake?.();
  };
  return transport(
    {
      method: input.method,
      url: input.url,
      headers: token === null ? headers : [...headers, [X402_HEADERS.PAYMENT_SIGNATURE, token]],
      body: input.body,
    },
    { signal, onProgress },
  );
};

/** The exchange as it may be shown and kept: without the token, also where the agent repeated it. */
function withoutToken(exchange: Exchange, token: string): Exchange {
  if (token === "") return exchange;
  const clean = (text: string) => text.replaceAll(token, TOKEN_NAME);
  const cleanAll = (headers: Exchange["request"]["headers"]) =>
    headers.map(([name, value]): HeaderLine => [name, clean(value)]);
  const { request, answer, failure } = exchange;
  return {
    ...exchange,
    request: { ...request, headers: cleanAll(request.headers) },
    answer: answer && { ...answer, headers: cleanAll(answer.headers), body: clean(answer.body) },
    failure: failure && { ...failure, message: clean(failure.message) },
  };
}

/** What each step does. */
export const DO: Record<StepId, (scene: Scene) => Promise<Done>> = {
  async ask(scene) {
    const exchange = await send(scene, null);
    scene.ask = exchange;
    return { ...judgeAsk(exchange), exchange };
  },

  async offer(scene) {
    const offer = readOffer(scene.ask as Exchange);
    scene.offer = offer;
    scene.run.requirement = offer.requirement;
    const plans = await Promise.all(
      offer.payable.map(async ({ planId, extra }) => {
        const id = planId ?? extra?.planId ?? "";
        const plan = await scene.service.readPlan(id).catch(() => null);
        return plan ? `‘${plan.metadata.main.name}’` : `plan ${id}, not known here`;
      }),
    );
    return {
      outcome: offer.outcome,
      values: { ...offer.values, plans: plans.join(", ") },
      facts: offer.facts,
    };
  },

  async permission(scene) {
    const { input, service, offer, run } = scene;
    const permission = await choosePermission({ input, service, payable: offer?.payable ?? [] });
    scene.permission = permission;
    run.planId = permission.planId;
    run.planName = permission.plan?.metadata.main.name ?? null;
    const { outcome, values, before } = permission;
    return { outcome, values: before === null ? values : { ...values, left: String(before) } };
  },

  async verify(scene): Promise<Done> {
    const { service, permission, input } = scene;
    const { token, plan } = permission as Permission & { token: string };
    const authorization = decodeAccessToken(token)?.payload.authorization;
    const payer = authorization?.from ?? "";
    const planName = plan?.metadata.main.name ?? "";
    if (payer !== "" && payer.toLowerCase() !== service.account?.toLowerCase()) {
      scene.verified = { agentRequestId: null, words: "not asked, the token is another account's" };
      return { outcome: "verify-not-mine", values: { payer: shorten(payer) } };
    }
    try {
      const requirement = scene.run.requirement as X402PaymentRequired;
      const verification = await service.dryVerify(requirement, token, input.maxCredits);
      if (verification.isValid) {
        const { agentRequestId, needsOrder: topsUp = false } = verification;
        scene.verified = { agentRequestId, words: "valid", topsUp };
        const outcome = topsUp ? "verify-tops-up" : "verify-valid";
        return {
          outcome,
          values: { payer: shorten(verification.payer), plan: planName },
          facts: [
            { name: "isValid", value: "true", holds: true, note: "said by the service" },
            { name: "payer", value: verification.payer, holds: true, note: "equals token from" },
            { name: "credits", value: verification.credits, holds: null, note: "this call" },
            { name: "balance", value: verification.balance, holds: null, note: "now" },
          ],
        };
      }
      const { invalidReason: reason, invalidMessage } = verification;
      scene.verified = { agentRequestId: null, words: reason };
      const needed = BigInt(permission?.offer.amount ?? 1);
      const before = permission?.before ?? 0n;
      const isLimit = reason === "insufficient_balance" && before >= needed;
      return {
        outcome: isLimit ? "limit-reached" : reason,
        values: {
          plan: planName,
          tokenPlan: await nameOfPlan(service, authorization?.planId),
          needed: groupedText(needed),
          balance: creditsText(before),
          message: invalidMessage ?? "",
        },
        reason,
      };
    } catch (cause) {
      if (!PaymentsError.is(cause) || cause.httpStatus < 500) throw cause;
      return { outcome: "verify-unavailable", values: {}, reason: cause.code };
    }
  },

  async pay(scene) {
    const { permission, run } = scene;
    const exchange = await send(scene, permission?.token ?? "");
    scene.paid = exchange;
    run.agentRequestId = headerOf(exchange.answer, "payment-request-id");
    const judged = judgePaid(exchange, scene.verified?.words ?? "");
    const shown = withoutToken(exchange, permission?.token ?? "");
    if (judged.outcome === "agent-failed" || judged.outcome === "agent-refused") {
      const isFree = await wasGivenBack(scene);
      if (!isFree) {
        return { ...judged, outcome: "agent-failed-unknown", exchange: shown };
      }
    }
    return { ...judged, exchange: shown, reason: refusalOf(exchange) };
  },

  async settle(scene) {
    const { paid, permission, run, service } = scene;
    const receipt = readReceipt(paid as Exchange);
    const { plan, offer, before, token, planId } = permission as Permission & { token: string };
    if (receipt.kind === "refused") {
      const { errorReason, errorMessage } = receipt.settlement;
      // A gate says so when it could not settle yet and goes on trying.
      if (errorReason !== "settlement_pending") {
        return {
          outcome: "receipt-refused",
          values: { message: errorMessage ?? errorReason },
          reason: errorReason,
        };
      }
    }
    if (receipt.kind === "settled") {
      const { settlement } = receipt;
      run.agentRequestId ??= settlement.agentRequestId;
      const after = service.account
        ? await service.readBalance(planId).then(
            ({ balance }) => balance,
            () => null,
          )
        : null;
      // An order in between adds to what there was before.
      const known = scene.verified?.topsUp ? null : before;
      const facts = compareReceipt(settlement, { token, offer, plan, before: known, after });
      const odd = facts.find(({ holds }) => holds === false);
      run.credits = {
        before: String(before ?? ""),
        after: settlement.remainingBalance,
      };
      return {
        outcome: odd ? "settled-odd" : "settled",
        values: {
          credits: creditsText(BigInt(settlement.creditsRedeemed)),
          after: settlement.remainingBalance,
          first: odd ? `${odd.name} ${odd.note}` : "",
          ...worthValues(plan, BigInt(settlement.creditsRedeemed)),
        },
        facts,
      };
    }
    if (receipt.kind === "unreadable" && !run.agentRequestId) {
      return { outcome: "receipt-unreadable", values: {} };
    }
    return lookForSettlement(scene);
  },
};

/** The gate's own word for why it let the request not through. */
function refusalOf({ answer }: Exchange): string | null {
  if (answer?.status !== 402 && answer?.status !== 503) return null;
  const code = (jsonOf(answer) as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" && code.length <= 64 ? code : null;
}

const shorten = (address: string) => `${address.slice(0, 6)}…${address.slice(-4)}`;
