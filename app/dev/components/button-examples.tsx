import { Button } from "@/components/ui/button.tsx";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { Icon } from "@/components/ui/icon.tsx";
import { IconButton } from "@/components/ui/icon-button.tsx";
import { CopyButton } from "@/components/ui/values/copy-button.tsx";
import { Kbd } from "@/components/ui/values/kbd.tsx";
import { Example, ExampleSection, Examples } from "./example-section.tsx";

const LOOKS = [
  ["primary", "Mint access token"],
  ["plain", "Open receipt"],
  ["quiet", "Copy fix prompt"],
  ["danger", "Revoke delegation"],
] as const;

export function ButtonExamples() {
  return (
    <ExampleSection
      id="button"
      title="Button"
      about="Verb first. One primary button per view. A pending button keeps its label."
    >
      {LOOKS.map(([look, words]) => (
        <Examples key={look}>
          <Example name="Default">
            <Button look={look}>{words}</Button>
          </Example>
          <Example name="Disabled">
            <Button look={look} aria-disabled>
              {words}
            </Button>
          </Example>
          <Example name="Pending">
            <Button look={look} isPending>
              {words}
            </Button>
          </Example>
        </Examples>
      ))}
      <Examples>
        <Example name="Big">
          <Button look="primary" size="big">
            Run all <Kbd mac="⌘↵">Ctrl+Enter</Kbd>
          </Button>
        </Example>
        <Example name="Small">
          <Button size="small">Explain</Button>
        </Example>
        <Example name="With icon">
          <Button>
            <Icon name="download" />
            Export
          </Button>
        </Example>
        <Example name="Link">
          <ButtonLink href="/docs/api">Open the reference</ButtonLink>
        </Example>
        <Example name="Icon">
          <IconButton icon="bell" label="Alerts, 3 open" hasDot />
        </Example>
        <Example name="Icon, disabled">
          <IconButton icon="up" label="Previous" aria-disabled />
        </Example>
        <Example name="Copy">
          <CopyButton text="57" label="Copy plan ID" />
        </Example>
      </Examples>
    </ExampleSection>
  );
}
