import { expect, test } from "vitest";
import { createProofAttempt } from "./proof-attempt.ts";

function attempt() {
  const heard: string[] = [];
  const made = createProofAttempt(
    () => heard.push("done"),
    ({ failure }) => heard.push(failure ?? ""),
  );
  return { ...made, heard };
}

test("a proof that is given runs what it was asked for, once", () => {
  const { done, fail, cancel, heard } = attempt();
  done();
  cancel();
  done();
  fail({ failure: "late" });
  expect(heard).toEqual(["done"]);
});

test("a proof that is given after it was canceled runs nothing, and its failure is not shown", () => {
  const { done, fail, cancel, signal, heard } = attempt();
  expect(signal.aborted).toBe(false);
  cancel();
  done();
  fail({ failure: "late" });
  expect(heard).toEqual([]);
  expect(signal.aborted).toBe(true);
});

test("a failure is passed on", () => {
  const { fail, heard } = attempt();
  fail({ failure: "Not confirmed." });
  expect(heard).toEqual(["Not confirmed."]);
});
