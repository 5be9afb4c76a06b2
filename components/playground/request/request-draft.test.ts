import { describe, expect, test } from "vitest";
import { EMPTY_DRAFT, type RequestDraft, readDraft } from "./request-draft.ts";

const read = (change: Partial<RequestDraft>) =>
  readDraft({ ...EMPTY_DRAFT, url: "https://agent.example/ask", ...change });

describe("a typed request", () => {
  test("becomes a run's input, with a JSON content type", () => {
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

  test("sends the agent's credentials", () => {
    const auth = { kind: "basic" as const, user: "ada", secret: "pä" };
    expect(read({ method: "GET", auth })).toMatchObject({
      input: { headers: [["authorization", "Basic YWRhOnDDpA=="]] },
    });
  });

  test("the most it may pay is typed with a point or a comma", () => {
    for (const maxDollars of ["0.05", "0,05"]) {
      expect(read({ maxDollars })).toMatchObject({ input: { maxDollars: "0.05" } });
    }
  });

  const invalid: [Partial<RequestDraft>, string][] = [
    [{ url: "" }, "url"],
    [{ url: "agent.example" }, "url"],
    [{ url: "ftp://agent.example" }, "url"],
    [{ headers: "no header" }, "headers"],
    [{ headers: "content-type: application/json", body: "{" }, "body"],
    [{ maxCredits: "1.5" }, "maxCredits"],
    [{ maxDollars: "1,000" }, "maxDollars"],
    [{ maxDollars: "1000000" }, "maxDollars"],
    [{ token: { kind: "paste", token: " " } }, "token"],
  ];
  test.each(invalid)("%j returns an error for %s", (change, field) => {
    const answer = read(change);
    expect("errors" in answer && Object.keys(answer.errors)).toEqual([field]);
  });
});
