"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { AgentChecks } from "../agents/agent-checks.tsx";
import { METHODS } from "../playground/request-draft.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { Joined, UnitSelect } from "../ui/money-input.tsx";
import { TextInput } from "../ui/text-input.tsx";

export type DoctorProps = { verb: string; url: string };

/** An address to examine; the checks themselves start with their own button and send no token. */
export function Doctor({ verb: givenVerb, url: givenUrl }: DoctorProps) {
  const router = useRouter();
  const [verb, setVerb] = useState(givenVerb);
  const [url, setUrl] = useState(givenUrl);
  const [fault, setFault] = useState("");
  const choose = () => {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      return setFault("Give a whole address that starts with https:// or http://.");
    }
    setFault("");
    router.replace(`/doctor?${new URLSearchParams({ method: verb, url })}`);
  };
  return (
    <div className="grid gap-6">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          choose();
        }}
        className="grid max-w-160 gap-3"
      >
        <Field label="Endpoint" error={fault}>
          <Joined>
            <UnitSelect
              label="Method"
              options={METHODS.map((method) => ({ value: method, label: method }))}
              value={verb}
              onValueChange={setVerb}
            />
            <TextInput
              isMono
              type="url"
              autoComplete="off"
              spellCheck={false}
              placeholder="https://agent.example/ask"
              value={url}
              onChange={(event) => setUrl(event.target.value)}
              className="relative"
            />
          </Joined>
        </Field>
        <div>
          <Button type="submit">Choose this endpoint</Button>
        </div>
      </form>
      {givenUrl && (
        <AgentChecks
          key={`${givenVerb} ${givenUrl}`}
          agent={{ agentId: "", name: givenUrl, planIds: [], needsLogin: false }}
          source={{ url: "/doctor/run", body: { verb: givenVerb, url: givenUrl } }}
        />
      )}
    </div>
  );
}
