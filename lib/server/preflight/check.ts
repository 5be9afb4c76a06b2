/** What is wrong, and what to do about it. */
export class Fault extends Error {
  readonly remedy: string;
  constructor(cause: string, remedy: string) {
    super(cause);
    this.remedy = remedy;
  }
}

/** A fault that one text tells: what is wrong in its first sentence, or up to `end`, then what to do. */
export function faultOf(text: string, end = /(?<=\.) /): Fault {
  const [cause = "", ...remedy] = text.split(end);
  return new Fault(cause, remedy.join(" "));
}

/** One item of the list; `run` says what it found, or throws a {@link Fault}. */
export type Check = { name: string; run: () => Promise<string> };

export const check = (name: string, run: () => Promise<string>): Check => ({ name, run });

export type CheckResult = {
  name: string;
  ok: boolean;
  ms: number;
  found?: string;
  cause?: string;
  remedy?: string;
};

/** Texts of drivers may hold an address with a password: only what kind of failure it was is shown. */
export const reasonOf = (cause: unknown): string => {
  const { code, message } = cause as { code?: unknown; message?: unknown };
  return typeof code === "string" && code !== "" ? code : (String(message).split("\n", 1)[0] ?? "");
};

/** Runs a check; what it throws besides a {@link Fault} becomes its cause. */
export async function runCheck({ name, run }: Check): Promise<CheckResult> {
  const start = performance.now();
  const ms = () => Math.round(performance.now() - start);
  try {
    const found = await run();
    return { name, ok: true, ms: ms(), found };
  } catch (cause) {
    const remedy =
      cause instanceof Fault ? cause.remedy : "Correct the setting that this check reads.";
    const text = cause instanceof Fault ? cause.message : reasonOf(cause);
    return { name, ok: false, ms: ms(), cause: text, remedy };
  }
}
