import type { Payments } from "../client/payments.ts";
import { randomId } from "../client/random-id.ts";
import { type PaidCallOptions, type PaidResult, payInBand } from "../in-band/pay.ts";
import type { A2AMessage, A2ATask } from "./a2a-types.ts";
import { A2A_PAYMENT } from "./metadata.ts";

type Sending = { message: A2AMessage | undefined };

/** The part of an A2A client that a paid message needs. */
export type MessageClient<Params extends Sending, Result extends A2AMessage | A2ATask> = {
  sendMessage(params: Params, options?: { signal?: AbortSignal }): Promise<Result>;
};

/**
 * Sends a message, and pays when the agent asks for payment: mints or reuses a token within the caps,
 * and sends the message again to the waiting task, with the token in its metadata. A result that may not
 * or cannot be paid is returned as it is, and `declined` says why. Throws what the client and minting
 * throw.
 *
 * @example
 * const { result, receipt } = await sendPaidMessage(payments, client, params, { maxCredits: 5n });
 */
export function sendPaidMessage<Params extends Sending, Result extends A2AMessage | A2ATask>(
  payments: Pick<Payments, "fetch">,
  client: MessageClient<Params, Result>,
  params: Params,
  options: PaidCallOptions = {},
): Promise<PaidResult<Result>> {
  return payInBand<Result>(
    payments,
    {
      url: "https://agent.invalid/",
      send(token, previous, { signal }) {
        const { message } = params;
        const limits = signal && { signal };
        if (!token || !message) return client.sendMessage(params, limits);
        const metadata = {
          ...message.metadata,
          [A2A_PAYMENT.STATUS]: "payment-submitted",
          [A2A_PAYMENT.PAYLOAD]: token,
        };
        const messageId = randomId("msg_");
        const paid = { ...message, ...waitingTask(previous), messageId, metadata };
        return client.sendMessage({ ...params, message: paid }, limits);
      },
      readRefusal(result) {
        const { [A2A_PAYMENT.REQUIRED]: required, [A2A_PAYMENT.ERROR]: code } =
          metadataOf(result) ?? {};
        return required ?? { code, error: code };
      },
      readReceipt(result) {
        const receipts = metadataOf(result)?.[A2A_PAYMENT.RECEIPTS];
        return Array.isArray(receipts) ? receipts[receipts.length - 1] : undefined;
      },
    },
    options,
  );
}

const isTask = (result: A2AMessage | A2ATask): result is A2ATask => "status" in result;

const metadataOf = (result: A2AMessage | A2ATask) =>
  (isTask(result) ? result.status?.message : result)?.metadata;

function waitingTask(previous: A2AMessage | A2ATask | null): Partial<A2AMessage> {
  if (!previous || !isTask(previous)) return {};
  return { taskId: previous.id, contextId: previous.contextId };
}
