import { createHash } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { Payments } from "../../client/payments.ts";
import { createRequestSigner } from "../../client/request-signer.ts";
import { encodeAccessToken } from "../../protocol/access-token.ts";
import { readSignatureInput, signatureBase } from "../../protocol/encoding/signature-base.ts";
import { ADAPTERS, type Stage, setStage } from "../../test-support/agents/all-agents.ts";
import { ask } from "../../test-support/agents/ask.ts";
import { apiKeyOf, BUILDER, createFakeService, tokenOf } from "../../test-support/fake-service.ts";
import { createGate } from "../gate.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";

const stages: Stage[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});

/** A key, and a token that is bound to it. */
async function newSigner() {
  const signer = await createRequestSigner();
  if (!signer) throw new Error("This platform has no Ed25519.");
  const document = tokenOf("42");
  const { payload } = document;
  const authorization = { ...payload.authorization, cnf: signer.cnf };
  const token = encodeAccessToken({ ...document, payload: { ...payload, authorization } });
  return { signer, token };
}

const BODY = '{ "question": 1.0 }';

test("behind a proxy that removes a path prefix, the public path is the one that was signed", async () => {
  const service = createFakeService();
  const payments = Payments.getInstance({ apiKey: apiKeyOf(BUILDER), fetch: service.fetch });
  const options = {
    publicUrl: "https://agent.example/api",
    queue: createMemoryQueue(),
    report: false,
  };
  const gate = createGate(payments, { "POST /ask": { planId: "42" } }, options);
  const { signer, token } = await newSigner();
  const asked = new Request("https://agent.example/api/ask?a=1", { method: "POST" });
  const headers = await signer.sign(asked, token, "/api/ask");
  const inside = new Request("http://127.0.0.1:3000/ask?a=1", { method: "POST", headers });
  expect((await gate(inside, async () => new Response("done"))).status).toBe(200);
  expect(service.called("verify")[0]?.body.proof).toMatchObject({
    path: "/api/ask",
    query: "?a=1",
  });
});

test.each(Object.keys(ADAPTERS))("%s passes on who signed a request, and what", async (adapter) => {
  const stage = await setStage(adapter);
  stages.push(stage);
  const { signer, token } = await newSigner();
  const headers = { "content-type": "application/json", "idempotency-key": "the-same-question" };

  const path = "/ask?lang=de%20AT&x='";
  const request = new Request(`${stage.origin}${path}`, { method: "POST", headers, body: BODY });
  const signed = await signer.sign(request, token, "/ask");
  const { "payment-signature": _, ...more } = signed;
  const answer = await ask(stage.origin, path, {
    token,
    body: BODY,
    headers: { ...headers, ...more },
  });
  expect(answer.status).toBe(200);
  expect(stage.asked[0]?.text).toBe(BODY);

  const [verify, settle] = [stage.service.called("verify"), stage.service.called("settle")];
  const digest = createHash("sha256").update(BODY).digest("base64");
  const proof = {
    method: "POST",
    path: "/ask",
    query: "?lang=de%20AT&x=%27",
    contentDigest: `sha-256=:${digest}:`,
    signatureInput: signed["signature-input"] ?? "",
    signature: signed.signature,
  };
  expect(verify[0]?.body.proof).toEqual(proof);
  expect(settle[0]?.body.proof).toEqual(proof);
  const input = readSignatureInput(proof.signatureInput);
  expect(input?.nonce).toBe("the-same-question");
  const base = input && signatureBase(input, { ...proof, token });
  expect(base?.split("\n").slice(0, 3)).toEqual([
    '"@method": POST',
    '"@path": /ask',
    `"@query": ${proof.query}`,
  ]);
});
