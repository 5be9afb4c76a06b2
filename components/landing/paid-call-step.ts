import type { MoneyStatus } from "@turnpike/payments/protocol";

/** A step before it runs: its name and what it will do. */
export type PaidCallOutline = { id: string; title: string; about: string };

/** A step after it ran, as the server streams it. */
export type PaidCallStep = {
  id: string;
  title: string;
  meaning: string;
  ok: boolean;
  ran: boolean;
  durationMs: number;
  status?: number;
  money?: MoneyStatus;
  facts: Record<string, string>;
  error?: string;
};

/** The step that sends the token: from here on a credit may be taken. */
export const PAYING_STEP = "call";

/** The steps of a streamed answer, one JSON document a line. Throws on a line that is none. */
export async function* readSteps(body: ReadableStream<Uint8Array>): AsyncGenerator<PaidCallStep> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    const lines = (rest + decoder.decode(value, { stream: !done })).split("\n");
    rest = done ? "" : (lines.pop() ?? "");
    for (const line of lines) if (line) yield JSON.parse(line);
    if (done) return;
  }
}
