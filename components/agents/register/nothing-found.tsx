"use client";

import { saveText } from "../../doctor/save-text.ts";
import { FormText } from "../../forms/form-text.tsx";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Notice } from "../../ui/notice.tsx";
import { minimalOpenApi } from "./minimal-openapi.ts";
import { ownRow, type RegistrationDraft } from "./registration-draft.ts";

/** Offers a minimal definition to host when none was found, and a field for its URL. */
export function NothingFound({ draft }: { draft: RegistrationDraft }) {
  const download = () => {
    const rows = draft.rows.length > 0 ? draft.rows : [ownRow(draft.url)];
    const text = minimalOpenApi(draft.about.name, rows);
    saveText("openapi.json", text, "application/json");
  };
  return (
    <>
      <Notice
        tone="neutral"
        title="No definition found. Enter the details yourself."
        action={
          <Button onClick={download}>
            <Icon name="download" />
            Create a minimal OpenAPI file
          </Button>
        }
      >
        Every agent needs a document that describes it. Download this one, host it next to your
        agent, and enter its URL below.
      </Notice>
      <FormText<RegistrationDraft>
        name="definitionUrl"
        label="Definition URL"
        hint="You can add it later in the sandbox. Until then it counts as an error."
        isMono
        type="url"
        placeholder="https://agent.example/openapi.json"
        spellCheck={false}
        maxLength={2048}
      />
    </>
  );
}
