import { decodeHeader, encodeHeader, X402_HEADERS } from "@turnpike/payments/protocol";
import type { DoctorBench, Handle } from "./doctor-bench.ts";

/** An agent that is wrong in one respect. */
export type BrokenAgent = { id: string; what: string; make: (bench: DoctorBench) => Handle };

const { PAYMENT_REQUIRED, PAYMENT_RESPONSE } = X402_HEADERS;

/** An envelope, to be changed into one that no type allows. */
export type Loose = Record<string, unknown> & {
  resource: Record<string, unknown>;
  accepts: (Record<string, unknown> & { extra: Record<string, unknown> })[];
};

/** The sound agent, its 402s changed. */
export function edits(change: (answer: Response) => Response | Promise<Response>) {
  return (bench: DoctorBench): Handle => {
    const sound = bench.gated();
    return async (request) => {
      const answer = await sound(request);
      return answer.status === 402 ? change(answer) : answer;
    };
  };
}

/** The sound agent, its paid answers changed. */
export function onPaid(change: (answer: Response, bench: DoctorBench) => Response) {
  return (bench: DoctorBench): Handle => {
    const sound = bench.gated();
    return async (request) => {
      const answer = await sound(request);
      return answer.headers.has(PAYMENT_RESPONSE) ? change(answer, bench) : answer;
    };
  };
}

export type Receipt = Record<string, unknown>;

export const onReceipt = (change: (receipt: Receipt, bench: DoctorBench) => void) =>
  onPaid((answer, bench) => {
    const receipt = receiptOf(answer);
    change(receipt, bench);
    return withHeader(answer, PAYMENT_RESPONSE, encodeHeader(receipt));
  });

export const receiptOf = (answer: Response) =>
  decodeHeader(answer.headers.get(PAYMENT_RESPONSE) ?? "") as Receipt;

export function onPath(path: string, other: Handle) {
  return (bench: DoctorBench): Handle => {
    const sound = bench.gated();
    return (request) => (new URL(request.url).pathname === path ? other(request) : sound(request));
  };
}

export function definitionWith(change: (paths: Record<string, unknown>) => void) {
  return (bench: DoctorBench): Handle => {
    const sound = bench.gated();
    return async (request) => {
      const answer = await sound(request);
      if (new URL(request.url).pathname !== "/definition.json") return answer;
      const definition = (await answer.json()) as { paths: Record<string, unknown> };
      change(definition.paths);
      return Response.json(definition);
    };
  };
}

export function reEnvelope(answer: Response, change: (envelope: Loose) => void): Response {
  const envelope = decodeHeader(answer.headers.get(PAYMENT_REQUIRED) ?? "") as Loose;
  change(envelope);
  return withHeader(answer, PAYMENT_REQUIRED, encodeHeader(envelope));
}

export function withHeader(answer: Response, name: string, value: string): Response {
  const headers = new Headers(answer.headers);
  headers.set(name, value);
  return new Response(answer.body, { status: answer.status, headers });
}

export function without(answer: Response, name: string): Response {
  const headers = new Headers(answer.headers);
  headers.delete(name);
  return new Response(answer.body, { status: answer.status, headers });
}
