import { ERRORS, ErrorEnvelope } from "@turnpike/payments/protocol";
import { expect } from "vitest";

/** Asserts that an answer is the API's one error envelope and nothing of ours went wrong; its code and paths. */
export async function expectEnvelope(
  response: Response,
): Promise<{ status: number; code: string; paths: string[] }> {
  const { status } = response;
  const text = await response.text();
  expect(status, text).toBeGreaterThanOrEqual(400);
  expect(status, text).toBeLessThan(500);
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  expect(response.headers.get("cache-control")).toBe("no-store");
  const body = JSON.parse(text);
  const envelope = ErrorEnvelope.parse(body);
  expect(envelope.requestId).toBe(response.headers.get("x-request-id"));
  expect(envelope).toMatchObject({ httpStatus: status, status });
  expect(Object.keys(ERRORS)).toContain(envelope.code);
  expect(new URL(body.docs).pathname).toBe(`/docs/errors/${envelope.code}`);
  expect(Object.keys(body).sort()).toEqual(
    [
      "code",
      ...(envelope.details ? ["details"] : []),
      ...["docs", "hint", "httpStatus", "message", "requestId", "status", "title", "type"],
    ].sort(),
  );
  return { status, code: envelope.code, paths: (envelope.details ?? []).map(({ path }) => path) };
}
