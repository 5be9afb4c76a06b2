import { FormText } from "../../forms/form-text.tsx";
import { Notice } from "../../ui/notice.tsx";
import type { RegistrationDraft } from "./registration-draft.ts";

/** The definition of an agent that serves none: Turnpike hosts one, unless the builder enters another URL. */
export function NothingFound() {
  return (
    <>
      <Notice tone="neutral" title="No definition found. Turnpike hosts one for this agent.">
        It lists the endpoints that you register.
      </Notice>
      <FormText<RegistrationDraft>
        name="definitionUrl"
        label="Definition URL"
        hint="Turnpike replaces :agentId. If your definition is elsewhere, enter its URL."
        isRequired
        isMono
        type="url"
        spellCheck={false}
        maxLength={2048}
      />
    </>
  );
}
