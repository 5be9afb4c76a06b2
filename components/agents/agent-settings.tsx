"use client";

import { zodResolver } from "@hookform/resolvers/zod";
import { type Agent, AgentMetadata, type InputOf, WebUrl } from "@turnpike/payments/protocol";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { z } from "zod";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/fields/field.tsx";
import { TextArea } from "../ui/fields/text-area.tsx";
import { TextInput } from "../ui/fields/text-input.tsx";
import { Notice } from "../ui/notice.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { Section } from "../ui/page-header.tsx";
import { type AccessFaults, AccessFields, accessFaults } from "./access-fields.tsx";
import { type AccessDraft, accessInput, type Changed, NO_ACCESS } from "./agent-types.ts";

const { name, description, author, license } = AgentMetadata.shape;
const OptionalUrl = z.literal("").or(WebUrl);
const Form = z.object({
  name,
  description: description.unwrap(),
  author: author.unwrap(),
  license: license.unwrap(),
  sampleLink: OptionalUrl,
  definitionUrl: OptionalUrl,
  tags: z.string().refine((text) => tagsOf(text).length <= 20, "At most 20 tags."),
});
type Form = z.input<typeof Form>;

type Update = (input: InputOf<"updateAgent">) => Promise<Changed<Agent>>;

/** What is said about an agent, and how it lets callers in. */
export function AgentSettings({ agent, updateAgent }: { agent: Agent; updateAgent: Update }) {
  return (
    <>
      <AboutForm agent={agent} updateAgent={updateAgent} />
      <Section id="agent-access" title="Access">
        <AccessForm agent={agent} updateAgent={updateAgent} />
      </Section>
    </>
  );
}

function AboutForm({ agent, updateAgent }: { agent: Agent; updateAgent: Update }) {
  const { main, agent: api } = agent.metadata;
  const [failure, setFailure] = useState("");
  const { register, handleSubmit, setError, formState } = useForm<Form>({
    resolver: zodResolver(Form),
    mode: "onBlur",
    defaultValues: {
      name: main.name,
      description: main.description ?? "",
      author: main.author ?? "",
      license: main.license ?? "",
      sampleLink: main.sampleLink ?? "",
      definitionUrl: api.agentDefinitionUrl ?? "",
      tags: (main.tags ?? []).join(", "),
    },
  });
  const { errors, isSubmitting } = formState;
  const save = handleSubmit(async (values) => {
    setFailure("");
    const { definitionUrl, tags, sampleLink, ...texts } = values;
    const isMoved = definitionUrl !== (api.agentDefinitionUrl ?? "");
    const saved = await updateAgent({
      agentId: agent.agentId,
      metadataAttributes: {
        ...texts,
        tags: tagsOf(tags),
        ...(sampleLink && { sampleLink }),
      },
      ...(isMoved && {
        agentApiAttributes: {
          endpoints: api.endpoints,
          openEndpoints: api.openEndpoints,
          authType: api.authType,
          ...(definitionUrl && { agentDefinitionUrl: definitionUrl }),
        },
      }),
    });
    if (saved.ok) {
      toast("The agent was saved");
      return;
    }
    for (const { path, message } of saved.details) {
      const field = path.split(".")[1];
      if (field && field in values) setError(field as keyof Form, { message });
    }
    setFailure(`${saved.message} ${saved.hint}`);
  });
  return (
    <form noValidate onSubmit={save} className="grid max-w-160 gap-4">
      <Field label="Name" error={errors.name?.message} isRequired>
        <TextInput {...register("name")} maxLength={120} />
      </Field>
      <Field label="Description" error={errors.description?.message} isOptional>
        <TextArea {...register("description")} maxLength={4000} />
      </Field>
      <Field
        label="Definition URL"
        error={errors.definitionUrl?.message}
        hint="An OpenAPI document, an MCP manifest or an A2A card."
      >
        <TextInput {...register("definitionUrl")} type="url" isMono maxLength={2048} />
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Author" error={errors.author?.message} isOptional>
          <TextInput {...register("author")} maxLength={120} />
        </Field>
        <Field label="Licence" error={errors.license?.message} isOptional>
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
      <Button type="submit" look="primary" isPending={isSubmitting} className="justify-self-start">
        Save agent
      </Button>
    </form>
  );
}

function AccessForm({ agent, updateAgent }: { agent: Agent; updateAgent: Update }) {
  const api = agent.metadata.agent;
  const saved: AccessDraft = { ...NO_ACCESS, authType: api.authType };
  const [access, setAccess] = useState(saved);
  const [faults, setFaults] = useState<AccessFaults>({});
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState("");
  const hasLogin = api.authType !== "NONE";
  const isSame = access.authType === api.authType;
  const save = async () => {
    const wrong = accessFaults(access, isSame && hasLogin);
    setFaults(wrong);
    if (Object.keys(wrong).length > 0) return;
    setPending(true);
    setFailure("");
    const { agentDefinitionUrl, endpoints, openEndpoints } = api;
    const { authType, ...secrets } = accessInput(access);
    const typed = Object.fromEntries(Object.entries(secrets).filter(([, secret]) => secret !== ""));
    const answer = await updateAgent({
      agentId: agent.agentId,
      agentApiAttributes: {
        endpoints,
        openEndpoints,
        authType,
        ...(agentDefinitionUrl && { agentDefinitionUrl }),
        ...typed,
      },
    });
    setPending(false);
    if (!answer.ok) return setFailure(`${answer.message} ${answer.hint}`);
    setAccess({ ...NO_ACCESS, authType });
    toast("Access was saved");
  };
  return (
    <div className="grid gap-4">
      <AccessFields
        access={access}
        onChange={setAccess}
        faults={faults}
        {...(hasLogin && isSame && { savedNote: "Saved; type to replace" })}
      />
      <p className="max-w-160 text-ink-2 text-note">
        Credentials are sealed and never shown. Left empty, the saved ones stay; typing any replaces
        them all.
      </p>
      {failure && (
        <Notice tone="refused" title="Access was not saved." role="alert">
          {failure}
        </Notice>
      )}
      <Button isPending={isPending} onClick={save} className="justify-self-start">
        Save access
      </Button>
    </div>
  );
}

function tagsOf(text: string): string[] {
  return text
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);
}
