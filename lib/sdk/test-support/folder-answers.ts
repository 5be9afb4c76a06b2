import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AnswerStore } from "../gate/repeats/answer-store.ts";

/** Answers in a folder that processes share. Claims lapse when a test removes them. */
export function createFolderAnswers(folder: string): AnswerStore & { lapse(key: string): void } {
  const at = (key: string, form: "claim" | "answer") => join(folder, `${key}.${form}`);
  return {
    claim(key) {
      if (existsSync(at(key, "answer"))) {
        const { body, ...kept } = JSON.parse(readFileSync(at(key, "answer"), "utf8"));
        return { ...kept, body: new Uint8Array(Buffer.from(body, "base64")) };
      }
      if (existsSync(at(key, "claim"))) return "running";
      writeFileSync(at(key, "claim"), "");
      return "claimed";
    },
    keep(key, { body, ...answer }) {
      const text = JSON.stringify({ ...answer, body: Buffer.from(body).toString("base64") });
      writeFileSync(at(key, "answer"), text);
    },
    drop(key) {
      for (const form of ["claim", "answer"] as const) rmSync(at(key, form), { force: true });
    },
    lapse: (key) => rmSync(at(key, "claim"), { force: true }),
  };
}
