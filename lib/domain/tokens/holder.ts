import {
  type HolderKey,
  type RequestProof,
  readSignature,
  readSignatureInput,
  signatureBase,
} from "@turnpike/payments/protocol";
import { type Context, invalid, requireCaller } from "../context.ts";
import type { PlanRecord } from "../records.ts";
import type { InspectedToken, TokenInput } from "./inspect-token.ts";

/**
 * Whether the request was signed by the key its token is bound to: `bearer` tokens are bound to none, and `mismatch` is
 * a signature by another key, or of another request.
 */
export type HolderState = "bearer" | "signed" | "unsigned" | "mismatch";

type Verify = (key: HolderKey, message: string, signature: string) => boolean;

/** Checks a request's signature against the key in its token (RFC 9421). Needs no database and never throws. */
export function readHolder(
  inspected: InspectedToken,
  { token, proof }: { token: TokenInput; proof?: RequestProof | undefined },
  verify: Verify,
): HolderState {
  const cnf = inspected.isSound ? inspected.token.payload.authorization.cnf : undefined;
  if (!cnf) return "bearer";
  if (!proof || typeof token !== "string") return "unsigned";
  const signed = readSignatureInput(proof.signatureInput);
  const signature = readSignature(proof.signature);
  // A proxy that removes a path prefix leaves open whether a slash followed it. Routers read both alike.
  const { path } = proof;
  const isHolder = [path, path.endsWith("/") ? path.slice(0, -1) : `${path}/`].some((each) => {
    const base = signed && signatureBase(signed, { ...proof, path: each, token });
    return base !== null && signature !== null && verify(cnf.jwk, base, signature);
  });
  return isHolder ? "signed" : "mismatch";
}

/** Refuses a bearer token that could pay for nothing: by the terms the caller ordered, or, before an order, the plan's. */
export async function refuseBearer(context: Context, { planId, credits }: PlanRecord) {
  const ordered = await context.ports.plans.balance(planId, requireCaller(context).account);
  if (!(ordered ?? credits).holderRequired) return;
  throw invalid(
    "cnf",
    `Plan ${planId} doesn’t accept bearer tokens. Pay with \`payments.fetch\`, or send the public key that will sign your requests as \`cnf\`.`,
  );
}
