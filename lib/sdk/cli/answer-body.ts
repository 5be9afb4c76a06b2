import { inTime } from "../client/waiting/in-time.ts";

type Reading = {
  /** How long an answer of limited length may take to end, and how long another one may be silent. */
  timeoutMs: number;
  /** The most characters; without it all that comes. */
  maxLength: number | undefined;
  /** Takes each part as it comes, instead of the whole text at the end. */
  write: ((part: string) => Promise<void>) | undefined;
};

/** An answer's text, and why it is not all of it. `isBroken`: the rest was lost on its way. */
export type AnswerBody = { text: string; cut?: string; isBroken: boolean };

export async function readAnswerBody(
  response: Response,
  { timeoutMs, maxLength, write }: Reading,
): Promise<AnswerBody> {
  const reader = response.body?.getReader();
  if (!reader) return { text: "", isBroken: false };
  const decoder = new TextDecoder();
  const secs = timeoutMs / 1000;
  let text = "";
  let end = performance.now() + timeoutMs;
  try {
    for (;;) {
      const next = await inTime(reader.read(), end - performance.now());
      if (!next) {
        const cut = maxLength ? `it did not end within ${secs} s.` : `nothing came for ${secs} s.`;
        return { text, cut, isBroken: true };
      }
      const part = decoder.decode(next.value, { stream: !next.done });
      if (write) await write(part);
      else text += part;
      if (next.done) return { text, isBroken: false };
      if (!maxLength) end = performance.now() + timeoutMs;
      else if (text.length > maxLength) {
        const cut = `it is longer than ${maxLength} characters.`;
        return { text: text.slice(0, maxLength), cut, isBroken: false };
      }
    }
  } catch (cause) {
    const cut = cause instanceof Error ? cause.message : String(cause);
    return { text, cut, isBroken: true };
  } finally {
    reader.cancel().catch(() => {});
  }
}
