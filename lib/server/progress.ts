import { styleText } from "node:util";
import { messageOf } from "./watch/error-text.ts";

/** Tells the person at the terminal what the start is doing and how long each part took. */
export type Progress = {
  step: <T>(name: string, note: string, work: () => Promise<T>) => Promise<T>;
  line: (text: string) => void;
};

const NAME_WIDTH = 16;

/** Progress as lines on standard output: a part's line appears when it is ready. */
export function createProgress(): Progress {
  const line = (text: string) => process.stdout.write(`${text}\n`);
  return {
    line,
    async step(name, note, work) {
      const start = performance.now();
      const label = name.padEnd(NAME_WIDTH);
      const slow = setTimeout(
        () => line(`  ${label} ${styleText("dim", `starting (${note})`)}`),
        1_500,
      );
      try {
        const result = await work();
        const secs = ((performance.now() - start) / 1000).toFixed(1);
        line(`  ${label} ${styleText("green", "ready")}  ${secs} s  ${styleText("dim", note)}`);
        return result;
      } catch (cause) {
        line(`  ${label} ${styleText("red", "failed")}  ${messageOf(cause)}`);
        throw cause;
      } finally {
        clearTimeout(slow);
      }
    },
  };
}

/** Progress that is not shown. */
export const silentProgress: Progress = { step: (_name, _note, work) => work(), line: () => {} };
