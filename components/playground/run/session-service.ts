import type { InputOf, OutputOf, Verification } from "@turnpike/payments/protocol";
import { PaymentsError, type X402PaymentRequired } from "@turnpike/payments/protocol";
import type { PlaygroundService, RunPayer, RunPermission } from "@/lib/playground/ports.ts";
import { readOperation } from "../../data/read-operation.ts";
import type { ActionAnswer } from "../../forms/action-answer.ts";
import { unwrap } from "../../forms/unwrap-answer.ts";

/** What the answer of an operation is as JSON carries it. */
type Wire<T> = Promise<ActionAnswer<T>>;

export type RunActions = {
  readRunBalance(payer: RunPayer, planId: string): Wire<OutputOf<"getPlanBalance">>;
  mintForRun(
    payer: RunPayer,
    input: InputOf<"getX402AccessToken">,
  ): Wire<OutputOf<"getX402AccessToken"> & { permission: RunPermission }>;
  authorizeForRun(
    payer: RunPayer,
    input: InputOf<"createAuthorization">,
  ): Wire<OutputOf<"createAuthorization">>;
  endRun(payer: RunPayer, permission: RunPermission): Wire<unknown>;
  dryVerify(
    payer: RunPayer,
    input: { paymentRequired: X402PaymentRequired; x402AccessToken: string; maxAmount?: string },
  ): Wire<Verification>;
  findRunRequest(payer: RunPayer, agentRequestId: string): Wire<OutputOf<"getRequest">>;
};

export type RunService = PlaygroundService & {
  payer: RunPayer;
  /** What the run opened and has not ended. */
  opened(): RunPermission | null;
};

/** The service as one run calls it, on behalf of its payer; a test customer's address is known after its first balance. */
export function createRunService(
  { account, payer }: { account: string | null; payer: RunPayer },
  actions: RunActions,
): RunService {
  let address = account;
  let permission: RunPermission | null = null;
  return {
    payer,
    get account() {
      return address;
    },
    opened: () => permission,
    readPlan: (planId) => readOperation("getPlan", { planId }).catch(nullIfMissing),
    async readBalance(planId) {
      const balance = unwrap(await actions.readRunBalance(payer, planId));
      address = balance.holderAddress;
      // Amounts cross the wire as decimal strings.
      return { ...balance, balance: BigInt(balance.balance), held: BigInt(balance.held) };
    },
    async mint({ planId, agentId, scheme, network, resource, httpVerb, delegationId }) {
      const minted = unwrap(
        await actions.mintForRun(payer, {
          accepted: {
            scheme,
            planId,
            ...(network && { network }),
            extra: { ...(httpVerb && { httpVerb }), ...(agentId && { agentId }) },
          },
          resource,
          ...(httpVerb && { httpVerb }),
          ...(delegationId && { delegationConfig: { delegationId } }),
        }),
      );
      permission = minted.permission;
      return minted;
    },
    async authorize(choice) {
      const { payload, delegationId } = unwrap(await actions.authorizeForRun(payer, choice));
      // What was signed stays payable once; the delegation it was signed under pays nothing else.
      permission = { delegationId, tokenId: "", isItsOwn: true };
      return payload;
    },
    async dryVerify(paymentRequired, x402AccessToken, maxAmount) {
      const input = { paymentRequired, x402AccessToken, ...(maxAmount && { maxAmount }) };
      return unwrap(await actions.dryVerify(payer, input));
    },
    async findRequest(agentRequestId) {
      const found = await actions.findRunRequest(payer, agentRequestId);
      return !found.ok && found.code === "not_found" ? null : unwrap(found);
    },
    async end() {
      const opened = permission;
      permission = null;
      if (!opened) return null;
      const answer = await actions.endRun(payer, opened).catch(() => null);
      return answer?.ok ? "ended" : "expires";
    },
  };
}

/** A malformed id is of nothing that exists. */
function nullIfMissing(cause: unknown): null {
  if (PaymentsError.is(cause) && /^(not_found|invalid_input)$/.test(cause.code)) return null;
  throw cause;
}
