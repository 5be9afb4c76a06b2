import type { ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/fields/field.tsx";
import { Joined, UnitSelect } from "../../ui/fields/money-input.tsx";
import { TextInput } from "../../ui/fields/text-input.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Kbd } from "../../ui/values/kbd.tsx";
import { onFirstClick } from "../run/run-facts.ts";
import type { Preset } from "./preset.ts";
import { PresetField } from "./preset-field.tsx";
import { type DraftErrors, METHODS, REQUEST_FORM, type RequestDraft } from "./request-draft.ts";
import { AuthTab, BodyTab, HeadersTab, OptionsTab, TokenTab } from "./request-tabs.tsx";

export type RequestPaneProps = {
  draft: RequestDraft;
  errors: DraftErrors;
  presets: Preset[];
  onChange: (change: Partial<RequestDraft>) => void;
  onPreset: (preset: Preset) => void;
  /** What is not sent, because it was entered for another host. */
  withheld: string;
  /** The maximum cost of a run, shown before it starts. */
  cost: string;
  isRunning: boolean;
  /** The run is paused before its next step. */
  isWaiting: boolean;
  /** Why no run may start. */
  blocked?: string;
  /** Whether it runs the chosen fault instead of the request; a fault has no single steps. */
  isFault: boolean;
  onRun: () => void;
  onStep: () => void;
  onStop: () => void;
  /** Whether a test customer can pay; only in the sandbox. */
  hasTest: boolean;
  /** Where a visitor signs in; null for someone signed in. */
  signInHref: string | null;
  part: string;
  onPart: (part: string) => void;
  /** The failure lab; only in the sandbox. */
  faultsTab?: ReactNode;
};

export function RequestPane(props: RequestPaneProps) {
  const { draft, errors, presets, onChange, onPreset, cost, withheld } = props;
  // Until a fault was chosen, the lab's own button is the one that runs.
  const isLab =
    Boolean(props.faultsTab) && props.part === "faults" && !props.isFault && !props.isRunning;
  return (
    <form
      id={REQUEST_FORM}
      aria-label="Request"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        props.onRun();
      }}
      // Errors are scrolled to above the buttons that stay at the bottom.
      className="grid content-start gap-4 p-4 max-md:**:data-error:scroll-mb-24"
    >
      <PresetField presets={presets} method={draft.method} url={draft.url} onChoose={onPreset} />
      <Field label="Endpoint" error={errors.url}>
        <Joined>
          <UnitSelect
            label="Method"
            options={METHODS.map((method) => ({ value: method, label: method }))}
            value={draft.method}
            onValueChange={(method) => onChange({ method })}
          />
          <TextInput
            isMono
            type="url"
            inputMode="url"
            placeholder="https://agent.example/ask"
            value={draft.url}
            onChange={(event) => onChange({ url: event.target.value })}
            className="relative"
          />
        </Joined>
      </Field>
      <p role="status" className="text-ink-2 text-note empty:sr-only">
        {withheld}
      </p>
      <Tabs
        label="Request sections"
        // All six tabs stay visible, in two rows where one is too short.
        className="*:[[role=tablist]]:flex-wrap *:[[role=tablist]]:gap-x-3"
        value={props.part}
        onValueChange={props.onPart}
        tabs={[
          { value: "body", label: "Body", content: <BodyTab {...props} /> },
          { value: "headers", label: "Headers", content: <HeadersTab {...props} /> },
          { value: "auth", label: "Auth", content: <AuthTab {...props} /> },
          { value: "token", label: "Payer", content: <TokenTab {...props} /> },
          { value: "options", label: "Options", content: <OptionsTab {...props} /> },
          ...(props.faultsTab
            ? [{ value: "faults", label: "Faults", content: props.faultsTab }]
            : []),
        ]}
      />
      {!isLab && (
        <>
          <p className="flex items-start gap-2 text-note">
            <Icon name="gauge" className="mt-px size-4 text-ink-2" />
            <span>{cost}</span>
          </p>
          <RunButtons {...props} />
        </>
      )}
    </form>
  );
}

function RunButtons(props: RequestPaneProps) {
  const { isRunning, isWaiting, blocked, isFault, onStep, onStop } = props;
  const isBusy = isRunning && !isWaiting;
  return (
    <div className="grid gap-2 max-md:sticky max-md:bottom-(--bottom-bar) max-md:bg-bg max-md:py-2">
      <div className="flex flex-wrap gap-2">
        {isRunning ? (
          <Button key="stop" size="big" className="flex-1" onClick={onFirstClick(onStop)}>
            Stop
          </Button>
        ) : (
          // Separate keys: a click on Stop must not land on the Run button that replaces it.
          <Button
            key="run"
            type="submit"
            look="primary"
            size="big"
            className="flex-1"
            data-testid="pg-run"
            aria-disabled={blocked !== undefined}
          >
            {isFault ? "Run fault again" : "Run all"}
            <Kbd mac="⌘↵">Ctrl+↵</Kbd>
          </Button>
        )}
        <Button
          size="big"
          onClick={onStep}
          aria-disabled={isBusy || isFault || blocked !== undefined}
          data-testid="pg-step"
        >
          {isWaiting ? "Next step" : "Step"}
          <Kbd mac="⇧↵">Shift+↵</Kbd>
        </Button>
      </div>
      {blocked && <p className="text-ink-2 text-note">{blocked}</p>}
    </div>
  );
}
