import "server-only";
import {
  type ErrorCode,
  type ErrorDetail,
  type InputOf,
  type OperationName,
  type OutputOf,
  PaymentsError,
} from "@turnpike/payments/protocol";
import { headers } from "next/headers";
import { notFound } from "next/navigation";
import type { Session } from "@/lib/domain/accounts/sessions.ts";
import type { Caller } from "@/lib/domain/context.ts";
import { readError } from "@/lib/server/http/error-answer.ts";
import { runOperation } from "@/lib/server/http/run-operation.ts";
import { struckChange } from "@/lib/server/http/strike.ts";
import { getRunning } from "@/lib/server/running.ts";
import { isOwnOrigin } from "./is-own-origin.ts";
import { readSession, requireSession } from "./session.ts";

/** What a change answers to a page: the data, or an error that says what to do. */
export type Changed<T> =
  | { ok: true; data: T }
  | {
      ok: false;
      code: ErrorCode;
      message: string;
      hint: string;
      /** Wrong fields, by their path in the input. */
      details: ErrorDetail[];
      requestId: string;
    };

const callerOf = ({ account }: Session): Caller => ({
  account: account.address,
  keyId: null,
  isOperator: account.isOperator,
});

/** Reads for a page, as the person signed in. What is not theirs is a 404 page. */
export async function read<K extends OperationName>(
  name: K,
  input: InputOf<K>,
): Promise<OutputOf<K>> {
  const session = await requireSession();
  const { ports } = await getRunning();
  try {
    return await runOperation(ports, callerOf(session), name, input, crypto.randomUUID());
  } catch (cause) {
    if (PaymentsError.is(cause) && cause.code === "not_found") notFound();
    throw cause;
  }
}

/** Reads what anybody may see, for pages without a session. */
export async function readPublic<K extends OperationName>(
  name: K,
  input: InputOf<K>,
): Promise<OutputOf<K> | null> {
  const { ports } = await getRunning();
  try {
    return await runOperation(ports, null, name, input, crypto.randomUUID());
  } catch (cause) {
    if (PaymentsError.is(cause) && cause.code === "not_found") return null;
    throw cause;
  }
}

/** Reads what anybody may see, as the person signed in where somebody is. */
export async function readOwnOrPublic<K extends OperationName>(
  name: K,
  input: InputOf<K>,
): Promise<OutputOf<K> | null> {
  const session = await readSession();
  const { ports } = await getRunning();
  const caller = session && callerOf(session);
  try {
    return await runOperation(ports, caller, name, input, crypto.randomUUID());
  } catch (cause) {
    if (PaymentsError.is(cause) && cause.code === "not_found") return null;
    throw cause;
  }
}

/** The body of a server action: own origin, session, the operation's own checks, one answer. */
export async function change<K extends OperationName>(
  name: K,
  input: InputOf<K>,
): Promise<Changed<OutputOf<K>>> {
  return answer(async (requestId) => {
    const caller = await readCaller();
    const { ports } = await getRunning();
    const run = () => runOperation(ports, caller, name, input, requestId);
    // The sandbox's faults strike pages as they strike the API.
    const strike = ports.faults?.take(name, input);
    return strike ? struckChange(strike, run) : run();
  });
}

/** Who makes a change. Throws `unauthorized` for nobody: a change answers, it leads nowhere. */
export async function readCaller(): Promise<Caller> {
  const session = await readSession();
  if (session) return callerOf(session);
  throw new PaymentsError("unauthorized", "You were signed out.", {
    hint: "Sign in again. Nothing was changed.",
  });
}

/** Runs a change for our own pages only, and turns what it throws into an answer. */
export async function answer<T>(work: (requestId: string) => Promise<T>): Promise<Changed<T>> {
  const requestId = crypto.randomUUID();
  const { env, ports } = await getRunning();
  try {
    if (!isOwnOrigin(await headers(), env.origin)) {
      throw new PaymentsError("forbidden", "Changes are made from this site's own pages only.");
    }
    return { ok: true, data: await work(requestId) };
  } catch (cause) {
    const { code, message, hint, details } = readError(cause, requestId, ports.log);
    return { ok: false, code, message, hint, details: details ?? [], requestId };
  }
}
