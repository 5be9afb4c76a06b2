"use client";

import { Button } from "../ui/button.tsx";
import { Field } from "../ui/fields/field.tsx";
import { TextInput } from "../ui/fields/text-input.tsx";
import { Icon } from "../ui/icon.tsx";
import { Notice } from "../ui/notice.tsx";
import { minimalOpenApi } from "./minimal-openapi.ts";
import { ownRow, type RegistrationDraft } from "./registration-draft.ts";

/** No definition was found: a small one to download, and where its URL is entered. */
export function NothingFound({
  draft,
  fault,
  onChange,
}: {
  draft: RegistrationDraft;
  fault: string | undefined;
  onChange: (change: Partial<RegistrationDraft>) => void;
}) {
  const download = () => {
    const rows = draft.rows.length > 0 ? draft.rows : [ownRow(draft.url)];
    const text = minimalOpenApi(draft.about.name, rows);
    const href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    Object.assign(document.createElement("a"), { href, download: "openapi.json" }).click();
    URL.revokeObjectURL(href);
  };
  return (
    <>
      <Notice
        tone="neutral"
        title="Nothing found: enter by hand."
        action={
          <Button onClick={download}>
            <Icon name="download" />
            Create a minimal OpenAPI file
          </Button>
        }
      >
        An agent has a document that describes it. Download this one, host it beside the agent, and
        give its URL below.
      </Notice>
      <Field
        label="Definition URL"
        error={fault}
        hint="Can follow later in the sandbox; it counts as an error until then."
      >
        <TextInput
          isMono
          type="url"
          data-field="definitionUrl"
          value={draft.definitionUrl}
          placeholder="https://agent.example/openapi.json"
          autoComplete="off"
          spellCheck={false}
          maxLength={2048}
          onChange={(event) => onChange({ definitionUrl: event.target.value })}
        />
      </Field>
    </>
  );
}
