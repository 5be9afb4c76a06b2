import {
  type AccessToken,
  decodeAccessToken,
  encodeAccessToken,
  type Settlement,
  type Verification,
  type X402PaymentRequired,
} from "@turnpike/payments/protocol";
import { freshId, requirementOf } from "./operation-samples.ts";
import type { TestMarket, TestParty, TestService } from "./test-service.ts";

/** What one question about a token differs in from the good one. */
export type Question = {
  token?: string;
  requirement?: X402PaymentRequired;
  maxAmount?: string;
  agentRequestId?: string;
  reserve?: boolean;
  caller?: TestParty;
};

export type Answered<T> = { status: number; body: T };

/** Verify and settle for a market's agent, as plain HTTP. */
export function createPermissionCalls(service: TestService, market: TestMarket) {
  const post = async <T>(path: string, question: Question, more: object): Promise<Answered<T>> => {
    const response = await service.call(question.caller ?? market.builder, "POST", path, {
      paymentRequired: question.requirement ?? requirementOf(market),
      x402AccessToken: question.token ?? market.token,
      ...(question.maxAmount !== undefined && { maxAmount: question.maxAmount }),
      ...more,
    });
    return { status: response.status, body: (await response.json()) as T };
  };
  const verify = (question: Question = {}) =>
    post<Verification>("/x402/verify", question, {
      ...(question.agentRequestId && { agentRequestId: question.agentRequestId }),
      ...(question.reserve && { reserve: true }),
    });
  const settle = (question: Question = {}) =>
    post<Settlement>("/x402/settle", question, {
      agentRequestId: question.agentRequestId ?? freshId(),
    });

  return {
    verify,
    settle,
    /** The codes both give for the same question, `"ok"` when they allow it. */
    async codes(question: Question): Promise<{ verify: string; settle: string }> {
      const [verified, settled] = [await verify(question), await settle(question)];
      return { verify: codeOf(verified.body), settle: codeOf(settled.body) };
    },
  };
}

type Body = { code?: string; isValid?: boolean; success?: boolean } & {
  invalidReason?: string;
  errorReason?: string;
};

/** The reason of a refusal, the code of an error, or `"ok"`. */
export function codeOf(body: unknown): string {
  const { code, isValid, success, invalidReason, errorReason } = body as Body;
  if (isValid === true || success === true) return "ok";
  return invalidReason ?? errorReason ?? code ?? "none";
}

/** The token with its document changed; the signature stays as it was. */
export function tampered(token: string, change: (document: AccessToken) => void): string {
  const document = structuredClone(decodeAccessToken(token) as AccessToken);
  change(document);
  return encodeAccessToken(document);
}
