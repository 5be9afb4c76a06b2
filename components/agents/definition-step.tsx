"use client";

import { Button } from "../ui/button.tsx";
import { Field } from "../ui/fields/field.tsx";
import { TextArea } from "../ui/fields/text-area.tsx";
import { TextInput } from "../ui/fields/text-input.tsx";
import { Icon } from "../ui/icon.tsx";
import { StatePill } from "../ui/values/state-pill.tsx";
import { NothingFound } from "./nothing-found.tsx";
import type { About, RegistrationDraft } from "./registration-draft.ts";
import type { Discovery } from "./use-discovery.ts";
import { WhereWeLooked } from "./where-we-looked.tsx";

export type DefinitionFaults = Partial<Record<keyof About | "url" | "definitionUrl", string>>;

export function DefinitionStep({
  draft,
  discovery,
  faults,
  onChange,
  onCheck,
}: {
  draft: RegistrationDraft;
  discovery: Discovery;
  faults: DefinitionFaults;
  onChange: (change: Partial<RegistrationDraft>) => void;
  onCheck: (url: string) => void;
}) {
  const { about, definition } = draft;
  const looks = discovery.isLooking ? discovery.looks : draft.looks;
  const isRead = draft.tookMs !== null;
  const setAbout = (change: Partial<About>) => onChange({ about: { ...about, ...change } });
  const field = (name: keyof About) => ({
    value: about[name],
    onChange: (event: { target: { value: string } }) => setAbout({ [name]: event.target.value }),
  });
  return (
    <div className="grid gap-x-8 gap-y-5 lg:grid-cols-[minmax(0,1fr)_18rem]">
      <div className="grid content-start gap-4">
        <Field
          label="Agent URL"
          hint="An endpoint, an OpenAPI document, an MCP manifest or an A2A card."
          error={faults.url ?? discovery.failure?.message}
          errorCode={discovery.failure?.code}
        >
          <UrlAndCheck
            url={draft.url}
            isLooking={discovery.isLooking}
            verb={isRead ? "Check again" : "Check"}
            onUrl={(url) => onChange({ url })}
            onCheck={onCheck}
          />
        </Field>
        {definition && (
          <p className="flex flex-wrap items-center gap-2">
            <StatePill tone="good">{definition.label}</StatePill>
            <span className="wrap-anywhere">
              {[definition.name, definition.version && `version ${definition.version}`]
                .filter(Boolean)
                .join(", ")}
            </span>
          </p>
        )}
        {isRead && !definition && (
          <NothingFound draft={draft} fault={faults.definitionUrl} onChange={onChange} />
        )}
        {isRead && (
          <>
            <Field label="Name" error={faults.name} isRequired>
              <TextInput {...field("name")} data-field="name" maxLength={120} />
            </Field>
            <Field label="Description" error={faults.description} isOptional>
              <TextArea {...field("description")} maxLength={4000} />
            </Field>
            <details className="group">
              <summary className="flex min-h-6 cursor-pointer items-center gap-1.5 text-label">
                <Icon name="right" className="size-3.5 group-open:rotate-90" />
                Author, licence and tags
              </summary>
              <div className="mt-3 grid gap-4 sm:grid-cols-2">
                <Field label="Author" error={faults.author} isOptional>
                  <TextInput {...field("author")} maxLength={120} />
                </Field>
                <Field label="Licence" error={faults.license} isOptional>
                  <TextInput {...field("license")} maxLength={120} />
                </Field>
                <Field
                  label="Tags"
                  hint="Separated by commas."
                  error={faults.tags}
                  isOptional
                  className="sm:col-span-2"
                >
                  <TextInput {...field("tags")} />
                </Field>
              </div>
            </details>
          </>
        )}
      </div>
      {(looks.length > 0 || discovery.isLooking) && (
        <WhereWeLooked looks={looks} ahead={discovery.ahead} isLooking={discovery.isLooking} />
      )}
    </div>
  );
}

type UrlAndCheckProps = {
  url: string;
  isLooking: boolean;
  verb: string;
  onUrl: (url: string) => void;
  onCheck: (url: string) => void;
  /** Given by the field around it. */
  id?: string;
};

function UrlAndCheck({ url, isLooking, verb, onUrl, onCheck }: UrlAndCheckProps) {
  return (
    <div className="flex">
      <TextInput
        isMono
        type="url"
        inputMode="url"
        data-field="url"
        value={url}
        placeholder="https://agent.example/openapi.json"
        autoComplete="off"
        spellCheck={false}
        maxLength={2048}
        className="rounded-e-none"
        onChange={(event) => onUrl(event.target.value)}
        onPaste={(event) => {
          const pasted = event.clipboardData.getData("text").trim();
          // A whole URL says all there is to say; a part of one is still being typed.
          if (!/^https?:\/\//i.test(pasted)) return;
          event.preventDefault();
          onUrl(pasted);
          onCheck(pasted);
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          onCheck(url);
        }}
      />
      <Button
        isPending={isLooking}
        onClick={() => onCheck(url)}
        className="min-h-(--control-form) rounded-s-none border-s-0 border-line-control"
      >
        {verb}
      </Button>
    </div>
  );
}
