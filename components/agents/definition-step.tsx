"use client";

import type { Look } from "@/lib/doctor/discovery.ts";
import { Button } from "../ui/button.tsx";
import { cn } from "../ui/cn.ts";
import { Field } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { Notice } from "../ui/notice.tsx";
import { StatePill } from "../ui/state-pill.tsx";
import { TextArea } from "../ui/text-area.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { minimalOpenApi } from "./minimal-openapi.ts";
import { type About, ownRow, type RegistrationDraft } from "./registration-draft.ts";
import type { Discovery } from "./use-discovery.ts";

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
          <NothingFound draft={draft} faults={faults} onChange={onChange} />
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

function WhereWeLooked({
  looks,
  ahead,
  isLooking,
}: {
  looks: readonly Look[];
  ahead: readonly string[];
  isLooking: boolean;
}) {
  const coming = isLooking ? ahead.slice(looks.length) : [];
  return (
    <section aria-labelledby="where-we-looked" className="min-w-0">
      <h3 id="where-we-looked" className="text-label">
        Where we looked
      </h3>
      <ul className="mt-1.5">
        {looks.map(({ path, url, state, note }) => (
          <li
            key={url}
            className="flex items-center gap-2 border-line py-1.5 not-last:border-b text-note"
          >
            <Icon
              name={state === "found" ? "tick" : state === "failed" ? "cross" : "minus"}
              className={cn(
                "size-4",
                state === "found" && "text-settled",
                state === "failed" && "text-refused",
              )}
            />
            <code title={url} className="wrap-anywhere min-w-0 text-small">
              {path}
            </code>
            <span
              className={cn(
                "wrap-anywhere ms-auto max-w-[60%] text-end",
                state === "found" ? "font-medium" : "text-ink-2",
              )}
            >
              {note}
            </span>
          </li>
        ))}
        {coming.map((path) => (
          <li
            key={path}
            className="flex items-center gap-2 border-line py-1.5 not-last:border-b text-ink-2 text-note"
          >
            <Icon name="dashed" className="size-4" />
            <code className="wrap-anywhere text-small">{path}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}

function NothingFound({
  draft,
  faults,
  onChange,
}: {
  draft: RegistrationDraft;
  faults: DefinitionFaults;
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
        error={faults.definitionUrl}
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
