"use client";

import { zodResolver } from "@hookform/resolvers/zod";
import { type Agent, AgentMetadata, type InputOf, WebUrl } from "@turnpike/payments/protocol";
import { FormProvider, useWatch } from "react-hook-form";
import { z } from "zod";
import { readTags } from "@/lib/text/read-tags.ts";
import type { ActionAnswer } from "../forms/action-answer.ts";
import { createResolver } from "../forms/field-errors.ts";
import { useOperationForm } from "../forms/use-operation-form.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/fields/field.tsx";
import { TextArea } from "../ui/fields/text-area.tsx";
import { TextInput } from "../ui/fields/text-input.tsx";
import { Notice } from "../ui/notice.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { Section } from "../ui/page-header.tsx";
import { accessFaults } from "./access-faults.ts";
import { AccessFields, type AccessValues } from "./access-fields.tsx";
import { type AccessDraft, accessInput, NO_ACCESS } from "./agent-types.ts";

const { name, description, author, license } = AgentMetadata.shape;
const OptionalUrl = z.literal("").or(WebUrl);
const About = z.object({
  name,
  description: description.unwrap(),
  author: author.unwrap(),
  license: license.unwrap(),
  sampleLink: OptionalUrl,
  agentDefinitionUrl: OptionalUrl,
  tags: z.string().refine((text) => readTags(text).length <= 20, "Use at most 20 tags."),
});
type About = z.input<typeof About>;

type AgentSettingsProps = {
  agent: Agent;
  updateAgent: (input: InputOf<"updateAgent">) => Promise<ActionAnswer<Agent>>;
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
  const form = useOperationForm<About, About, Agent>({
    resolver: zodResolver(About),
    mode: "onBlur",
    defaultValues: aboutOf(agent),
    run: (values) => updateAgent(aboutInput(agent, values)),
    onDone: () => toast("Agent saved"),
  });
  const { register, formState, failure } = form;
  const { errors } = formState;
  return (
    <form noValidate onSubmit={form.submit} className="grid max-w-160 gap-4">
      <Field label="Name" error={errors.name?.message} isRequired>
        <TextInput {...register("name")} maxLength={120} />
      </Field>
      <Field label="Description" error={errors.description?.message} isOptional>
        <TextArea {...register("description")} maxLength={4000} />
      </Field>
      <Field
        label="Definition URL"
        error={errors.agentDefinitionUrl?.message}
        hint="An OpenAPI document, an MCP manifest or an A2A card."
      >
        <TextInput {...register("agentDefinitionUrl")} type="url" isMono maxLength={2048} />
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Author" error={errors.author?.message} isOptional>
          <TextInput {...register("author")} maxLength={120} />
        </Field>
        <Field label="License" error={errors.license?.message} isOptional>
          <TextInput {...register("license")} maxLength={120} />
        </Field>
      </div>
      <Field label="Sample link" error={errors.sampleLink?.message} isOptional>
        <TextInput {...register("sampleLink")} type="url" maxLength={2048} />
      </Field>
      <Field label="Tags" hint="Separated by commas." error={errors.tags?.message} isOptional>
        <TextInput {...register("tags")} />
      </Field>
      {failure && (
        <Notice tone="refused" title="The agent was not saved." role="alert">
          {failure}
        </Notice>
      )}
      <Button
        type="submit"
        look="primary"
        isPending={form.isPending}
        className="justify-self-start"
      >
        Save agent
      </Button>
    </form>
  );
}

function aboutOf({ metadata: { main, agent } }: Agent): About {
  return {
    name: main.name,
    description: main.description ?? "",
    author: main.author ?? "",
    license: main.license ?? "",
    sampleLink: main.sampleLink ?? "",
    agentDefinitionUrl: agent.agentDefinitionUrl ?? "",
    tags: (main.tags ?? []).join(", "),
  };
}

function aboutInput(agent: Agent, values: About): InputOf<"updateAgent"> {
  const { agentDefinitionUrl, tags, sampleLink, ...texts } = values;
  const api = agent.metadata.agent;
  const isMoved = agentDefinitionUrl !== (api.agentDefinitionUrl ?? "");
  return {
    agentId: agent.agentId,
    metadataAttributes: { ...texts, tags: readTags(tags), ...(sampleLink && { sampleLink }) },
    ...(isMoved && {
      agentApiAttributes: {
        endpoints: api.endpoints,
        openEndpoints: api.openEndpoints,
        authType: api.authType,
        ...(agentDefinitionUrl && { agentDefinitionUrl }),
      },
    }),
  };
}

function AccessForm({ agent, updateAgent }: AgentSettingsProps) {
  const api = agent.metadata.agent;
  const hasLogin = api.authType !== "NONE";
  const form = useOperationForm<AccessValues, AccessDraft, Agent>({
    defaultValues: { access: { ...NO_ACCESS, authType: api.authType } },
    mode: "onSubmit",
    resolver: createResolver(
      ({ access }) => accessFaults(access, hasLogin && access.authType === api.authType),
      ({ access }) => access,
    ),
    run: (access) => {
      const { agentDefinitionUrl, endpoints, openEndpoints } = api;
      const { authType, ...secrets } = accessInput(access);
      const typed = Object.entries(secrets).filter(([, secret]) => secret !== "");
      return updateAgent({
        agentId: agent.agentId,
        agentApiAttributes: {
          endpoints,
          openEndpoints,
          authType,
          ...(agentDefinitionUrl && { agentDefinitionUrl }),
          ...Object.fromEntries(typed),
        },
      });
    },
    onDone: (_, { authType }) => {
      form.reset({ access: { ...NO_ACCESS, authType } });
      toast("Access saved");
    },
  });
  const authType = useWatch({ control: form.control, name: "access.authType" });
  return (
    <FormProvider {...form}>
      <div className="grid gap-4">
        <AccessFields
          {...(hasLogin && authType === api.authType && { savedNote: "Saved; type to replace" })}
        />
        <p className="max-w-160 text-ink-2 text-note">
          Credentials are encrypted and never shown again. Leave them empty to keep the saved ones;
          entering any replaces them all.
        </p>
        {form.failure && (
          <Notice tone="refused" title="Access was not saved." role="alert">
            {form.failure}
          </Notice>
        )}
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
