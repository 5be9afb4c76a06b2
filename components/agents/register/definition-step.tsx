import { useFormContext } from "react-hook-form";
import type { Look } from "@/lib/probe/report/discovery.ts";
import { FormText } from "../../forms/form-text.tsx";
import { Button } from "../../ui/button.tsx";
import { cn } from "../../ui/cn.ts";
import { Field } from "../../ui/fields/field.tsx";
import { TextInput } from "../../ui/fields/text-input.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Notice } from "../../ui/notice.tsx";
import { StatePill } from "../../ui/values/state-pill.tsx";
import { hostOf, type RegistrationDraft, unreachedNote } from "./registration-draft.ts";
import type { Discovery } from "./use-discovery.ts";

type DefinitionStepProps = {
  draft: RegistrationDraft;
  discovery: Discovery;
  onCheck: (url: string) => void;
};

export function DefinitionStep({ draft, discovery, onCheck }: DefinitionStepProps) {
  const { formState } = useFormContext<RegistrationDraft>();
  const { definition } = draft;
  const looks = discovery.isLooking ? discovery.looks : draft.looks;
  const isRead = draft.tookMs !== null;
  return (
    <div className="grid gap-x-8 gap-y-5 lg:grid-cols-[minmax(0,1fr)_18rem]">
      <div className="grid content-start gap-4">
        <Field
          label="Agent URL"
          hint="An endpoint, an OpenAPI document, an MCP manifest or an A2A card."
          error={formState.errors.url?.message ?? discovery.failure?.message}
          errorCode={discovery.failure?.code}
        >
          <UrlAndCheck
            isLooking={discovery.isLooking}
            verb={isRead ? "Check again" : "Check"}
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
        {isRead && !definition && <NothingFound draft={draft} />}
        {isRead && definition?.url !== draft.definitionUrl && <DefinitionUrl />}
        {isRead && <AboutFields />}
      </div>
      {(looks.length > 0 || discovery.isLooking) && (
        <WhereWeLooked looks={looks} ahead={discovery.ahead} isLooking={discovery.isLooking} />
      )}
    </div>
  );
}

function AboutFields() {
  return (
    <>
      <FormText<RegistrationDraft> name="about.name" label="Name" isRequired />
      <FormText<RegistrationDraft> name="about.description" label="Description" isOptional isLong />
      <details className="group">
        <summary className="flex min-h-6 cursor-pointer items-center gap-1.5 text-label">
          <Icon name="right" className="size-3.5 group-open:rotate-90" />
          Author, license and tags
        </summary>
        <div className="mt-3 grid gap-4 sm:grid-cols-2">
          <FormText<RegistrationDraft> name="about.author" label="Author" isOptional />
          <FormText<RegistrationDraft> name="about.license" label="License" isOptional />
          <FormText<RegistrationDraft>
            name="about.tags"
            label="Tags"
            hint="Separated by commas."
            isOptional
            className="sm:col-span-2"
          />
        </div>
      </details>
    </>
  );
}

type UrlAndCheckProps = {
  isLooking: boolean;
  verb: string;
  onCheck: (url: string) => void;
};

function UrlAndCheck({ isLooking, verb, onCheck }: UrlAndCheckProps) {
  const { register, setValue, getValues } = useFormContext<RegistrationDraft>();
  const check = () => onCheck(getValues("url"));
  return (
    <div className="flex">
      <TextInput
        isMono
        type="url"
        inputMode="url"
        placeholder="https://agent.example/openapi.json"
        maxLength={2048}
        className="rounded-e-none"
        {...register("url")}
        onPaste={(event) => {
          const pasted = event.clipboardData.getData("text").trim();
          // A full URL is checked at once; part of one is still being typed.
          if (!/^https?:\/\//i.test(pasted)) return;
          event.preventDefault();
          setValue("url", pasted);
          check();
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          check();
        }}
      />
      <Button
        isPending={isLooking}
        onClick={check}
        className="min-h-(--control-form) rounded-s-none border-s-0 border-line-control"
      >
        {verb}
      </Button>
    </div>
  );
}

function NothingFound({ draft }: Pick<DefinitionStepProps, "draft">) {
  const unreached = unreachedNote(draft);
  if (unreached) {
    return (
      <Notice tone="unsettled" title={`We couldn’t reach ${hostOf(draft.url)}.`}>
        {unreached} Check the URL, or continue and enter the endpoints yourself.
      </Notice>
    );
  }
  return (
    <Notice tone="neutral" title="No definition found. Turnpike hosts one for this agent.">
      It lists the endpoints that you register.
    </Notice>
  );
}

/** Of an agent that serves no definition, Turnpike hosts one, unless the builder enters another URL. */
const DefinitionUrl = () => (
  <FormText<RegistrationDraft>
    name="definitionUrl"
    label="Definition URL"
    hint="Turnpike replaces :agentId. If your definition is elsewhere, enter its URL."
    isRequired
    isMono
    type="url"
    maxLength={2048}
  />
);

type WhereWeLookedProps = {
  looks: readonly Look[];
  ahead: readonly string[];
  isLooking: boolean;
};

/** The paths that were tried for a definition, and those still to be tried. */
function WhereWeLooked({ looks, ahead, isLooking }: WhereWeLookedProps) {
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
