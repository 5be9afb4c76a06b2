"use client";

import { readJson } from "@turnpike/payments/protocol";
import { useState } from "react";
import { answerOf } from "../forms/answer-of.ts";
import type { CreateApiKey } from "../settings/api-keys/key-draft.ts";
import { Button } from "../ui/button.tsx";
import { TextAreaField, TextField } from "../ui/fields/text-field.tsx";
import { HttpStatus } from "../ui/values/http-status.tsx";
import { pretty } from "./example-code.ts";
import type { RecordedRequest } from "./recorded-examples.ts";

type TryItProps = {
  method: string;
  request: RecordedRequest;
  needsKey: boolean;
  /** For people signed in: a key for an hour. */
  createApiKey?: CreateApiKey;
};

const CONFIRM =
  "Creating a key needs you to confirm that it’s you. Create it on the API keys page, and paste it here.";
const LOST = "The sandbox did not respond. Check that it is running, then send again.";
/** This page can't ask for a passkey or a wallet. */
const keyFailure = ({ code, message, hint }: { code: string; message: string; hint: string }) =>
  code === "step_up_required" ? CONFIRM : `${message} ${hint}`;

type Outcome = { status: number; ms: number; text: string } | { failure: string };

const KEY_SECS = 3_600;

/** Sends one request of the reader's to this sandbox and shows its answer. The key stays on the page. */
export function TryIt({ method, request, needsKey, createApiKey }: TryItProps) {
  const [key, setKey] = useState("");
  const [path, setPath] = useState(request.path);
  const [body, setBody] = useState(request.body ? pretty(request.body) : "");
  const [outcome, setOutcome] = useState<Outcome>();
  const [isPending, setPending] = useState(false);

  const work = async (job: () => Promise<Outcome | undefined>) => {
    setPending(true);
    setOutcome(await job().catch(() => ({ failure: LOST })));
    setPending(false);
  };
  const send = () =>
    work(() =>
      sendRequest({ method, path, ...(body && { body }), key: needsKey ? key.trim() : "" }),
    );
  const mint = (create: CreateApiKey) =>
    work(async () => {
      const answer = await answerOf(create({ name: "Try it", durationSecs: KEY_SECS }));
      if (!answer?.ok) return { failure: answer ? keyFailure(answer) : LOST };
      setKey(answer.data.apiKey);
      return undefined;
    });

  return (
    <section
      aria-labelledby="try-it"
      className="grid gap-4 rounded-card border border-line bg-surface p-4"
    >
      <h2 id="try-it" className="flex items-center gap-2 text-h3">
        Try it
        <span className="rounded-tag border border-line px-1.5 font-normal text-ink-2 text-small">
          Sandbox
        </span>
      </h2>
      {needsKey && (
        <TextField
          label="API key"
          hint="Stays on this page, and is sent to this sandbox only."
          isMono
          type="password"
          value={key}
          onChange={(event) => setKey(event.target.value)}
        />
      )}
      {needsKey && createApiKey && (
        <div>
          <Button size="small" isPending={isPending} onClick={() => mint(createApiKey)}>
            Create a key for an hour
          </Button>
        </div>
      )}
      <TextField
        label="Path"
        hint={path.length > 24 ? "Replace the IDs with your own." : undefined}
        isMono
        value={path}
        onChange={(event) => setPath(event.target.value)}
      />
      {request.body && (
        <TextAreaField
          label="Body"
          isMono
          rows={6}
          value={body}
          onChange={(event) => setBody(event.target.value)}
        />
      )}
      <Button look="primary" isPending={isPending} onClick={send} className="justify-self-start">
        Send request
      </Button>
      <div role="status">{outcome && <Shown outcome={outcome} />}</div>
    </section>
  );
}

function Shown({ outcome }: { outcome: Outcome }) {
  if ("failure" in outcome) return <p className="text-refused">{outcome.failure}</p>;
  return (
    <div className="grid gap-2">
      <p className="flex items-center gap-2 text-ink-2 text-small">
        <HttpStatus status={outcome.status} /> {outcome.ms} ms
      </p>
      <section
        aria-label="Response"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must reach what scrolls.
        tabIndex={0}
        className="max-h-96 overflow-auto rounded-control bg-sunken p-3"
      >
        <pre className="w-max min-w-full">{outcome.text}</pre>
      </section>
    </div>
  );
}

type Sent = { method: string; path: string; body?: string; key: string };

async function sendRequest({ method, path, body, key }: Sent): Promise<Outcome> {
  if (body !== undefined && readJson(body) === undefined)
    return { failure: "The body is not valid JSON. Check commas and quotes." };
  const start = performance.now();
  const answer = await fetch(`/api/v1/${path.replace(/^\/+/, "")}`, {
    method,
    credentials: "omit",
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body }),
  });
  const text = await answer.text();
  const json = readJson(text);
  return {
    status: answer.status,
    ms: Math.round(performance.now() - start),
    text: json === undefined ? text : pretty(json),
  };
}
