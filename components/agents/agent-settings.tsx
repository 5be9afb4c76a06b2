"use client";

import { zodResolver } from "@hookform/resolvers/zod";
import type { Agent } from "@turnpike/payments/protocol";
import { useState } from "react";
import { FormProvider, useWatch } from "react-hook-form";
import { HOSTED_DEFINITION } from "@/lib/console/hosted-definition.ts";
import type { OperationAction } from "../forms/action-answer.ts";
import { createResolver } from "../forms/create-resolver.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { FormText } from "../forms/form-text.tsx";
import { KEEP_TYPED, useOperationForm } from "../forms/use-operation-form.ts";
import { UnsavedGuard } from "../shell/leave-guard.tsx";
import { Button } from "../ui/button.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { Section } from "../ui/page-header.tsx";
import { About, aboutInput, aboutOf } from "./about-form.ts";
import { accessFaults } from "./access-faults.ts";
import { AccessFields, type AccessValues } from "./access-fields.tsx";
import { type AccessDraft, accessChanges, NO_ACCESS } from "./agent-types.ts";

type AgentSettingsProps = {
  agent: Agent;
  updateAgent: OperationAction<"updateAgent">;
};

/** How an agent is described, and the credentials it expects. */
export function AgentSettings(props: AgentSettingsProps) {
  return (
    <>
      <AboutForm {...props} />
      <Section id="agent-access" title="Access">
        <AccessForm {...props} />
      </Section>
    </>
  );
}

function AboutForm({ agent, updateAgent }: AgentSettingsProps) {
  const [saved, setSaved] = useState(() => aboutOf(agent));
  const form = useOperationForm<About, About, Agent>({
    resolver: zodResolver(About),
    defaultValues: saved,
    run: (values) => updateAgent(aboutInput(agent.agentId, saved, values)),
    onDone: (_, values) => {
      setSaved(values);
      toast("Agent saved");
    },
  });
  return (
    <FormProvider {...form}>
      <form noValidate onSubmit={form.submit} className="grid max-w-160 gap-4">
        {form.formState.isDirty && <UnsavedGuard />}
        <FormText<About> name="name" label="Name" isRequired />
        <FormText<About> name="description" label="Description" isOptional isLong />
        <FormText<About>
          name="agentDefinitionUrl"
          label="Definition URL"
          hint="An OpenAPI document, an MCP manifest or an A2A card."
          type="url"
          isMono
          maxLength={2048}
        />
        <Button
          size="small"
          className="justify-self-start"
          onClick={() =>
            form.setValue("agentDefinitionUrl", hostedUrl(agent), { shouldDirty: true })
          }
        >
          Let Turnpike host the definition
        </Button>
        <div className="grid gap-4 sm:grid-cols-2">
          <FormText<About> name="author" label="Author" isOptional />
          <FormText<About> name="license" label="License" isOptional />
        </div>
        <FormText<About>
          name="sampleLink"
          label="Sample link"
          isOptional
          type="url"
          maxLength={2048}
        />
        <FormText<About> name="tags" label="Tags" isOptional hint="Separated by commas." />
        <FailureNotice title="The agent was not saved." of={form} />
        <Button
          type="submit"
          look="primary"
          isPending={form.isPending}
          className="justify-self-start"
        >
          Save agent
        </Button>
      </form>
    </FormProvider>
  );
}

const hostedUrl = ({ agentId }: Agent): string =>
  window.location.origin + HOSTED_DEFINITION.replace(":agentId", agentId);

function AccessForm({ agent, updateAgent }: AgentSettingsProps) {
  const { agentId } = agent;
  const [savedType, setSavedType] = useState(agent.metadata.agent.authType);
  const hasLogin = savedType !== "NONE";
  const form = useOperationForm<AccessValues, AccessDraft, Agent>({
    defaultValues: { access: { ...NO_ACCESS, authType: savedType } },
    resolver: createResolver(({ access }) => {
      const faults = accessFaults(access, hasLogin && access.authType === savedType);
      return faults.length > 0 ? { faults } : { input: access };
    }),
    run: (access) => updateAgent({ agentId, agentApiAttributes: accessChanges(access, savedType) }),
    onDone: (_, { authType }) => {
      setSavedType(authType);
      form.reset({ access: { ...NO_ACCESS, authType } }, KEEP_TYPED);
      toast("Access saved");
    },
  });
  const authType = useWatch({ control: form.control, name: "access.authType" });
  return (
    <FormProvider {...form}>
      <div className="grid gap-4">
        {form.formState.isDirty && <UnsavedGuard />}
        <AccessFields
          {...(hasLogin && authType === savedType && { savedNote: "Saved; type to replace" })}
        />
        <p className="max-w-160 text-ink-2 text-note">
          Credentials are encrypted and never shown again. Leave them empty to keep the saved ones;
          entering new ones replaces all of them.
        </p>
        <FailureNotice title="Access was not saved." of={form} />
        <Button
          isPending={form.isPending}
          onClick={() => void form.submit()}
          className="justify-self-start"
        >
          Save access
        </Button>
      </div>
    </FormProvider>
  );
}
