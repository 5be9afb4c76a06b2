import { describe, expect, test } from "vitest";
import { EMPTY_DRAFT, type RequestDraft, readDraft } from "./request-draft.ts";

const read = (change: Partial<RequestDraft>) =>
  readDraft({ ...EMPTY_DRAFT, url: "https://agent.example/ask", ...change });

describe("a request as typed", () => {
  test("becomes a run's input, JSON by itself", () => {
    expect(read({ body: '{"a":1}', maxCredits: "5" })).toEqual({
      input: {
        method: "POST",
        url: "https://agent.example/ask",
        headers: [["content-type", "application/json"]],
        body: '{"a":1}',
        token: { kind: "mint" },
        maxCredits: "5",
      },
    });
  });

  test("sends no body with GET", () => {
    expect(read({ method: "GET", body: "{}" })).toMatchObject({
      input: { body: null, headers: [] },
    });
  });

  test("carries the agent's own login", () => {
    const auth = { kind: "basic" as const, user: "ada", secret: "pä" };
    expect(read({ method: "GET", auth })).toMatchObject({
      input: { headers: [["authorization", "Basic YWRhOnDDpA=="]] },
    });
  });

  const faults: [Partial<RequestDraft>, string][] = [
    [{ url: "" }, "url"],
    [{ url: "agent.example" }, "url"],
    [{ url: "ftp://agent.example" }, "url"],
    [{ headers: "no header" }, "headers"],
    [{ headers: "content-type: application/json", body: "{" }, "body"],
    [{ maxCredits: "1.5" }, "maxCredits"],
    [{ token: { kind: "paste", token: " " } }, "token"],
  ];
  test.each(faults)("%j says what is wrong with its %s", (change, field) => {
    const answer = read(change);
    expect("faults" in answer && Object.keys(answer.faults)).toEqual([field]);
  });
});
