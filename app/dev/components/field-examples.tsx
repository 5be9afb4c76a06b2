"use client";

import { useState } from "react";
import { readAddress } from "@/components/ui/fields/address-check.ts";
import { AddressInput } from "@/components/ui/fields/address-input.tsx";
import { Checkbox } from "@/components/ui/fields/checkbox.tsx";
import { Combobox } from "@/components/ui/fields/combobox.tsx";
import { DurationInput } from "@/components/ui/fields/duration-input.tsx";
import { durationText } from "@/components/ui/fields/duration-text.ts";
import { Field } from "@/components/ui/fields/field.tsx";
import { MoneyInput } from "@/components/ui/fields/money-input.tsx";
import { RadioGroup } from "@/components/ui/fields/radio-group.tsx";
import { SegmentedControl } from "@/components/ui/fields/segmented-control.tsx";
import { Select } from "@/components/ui/fields/select.tsx";
import { Switch } from "@/components/ui/fields/switch.tsx";
import { TextArea } from "@/components/ui/fields/text-area.tsx";
import { TextInput } from "@/components/ui/fields/text-input.tsx";
import { echoMoney, readMoney } from "@/components/ui/values/money-text.ts";
import { MONTH_SECS } from "@/lib/text/durations.ts";
import { ACCOUNT, RANGES, RECEIVER } from "./example-data.ts";
import { ExampleSection, Examples } from "./example-section.tsx";

const TOKENS = [
  { value: "USDC", label: "USDC" },
  { value: "EURC", label: "EURC" },
];
const DECIMALS = 6;

const AGENTS = [
  { value: "any", label: "Any agent of this plan" },
  { value: "filings", label: "Filings reader", note: "7 endpoints", keywords: ["sec"] },
  { value: "tariff", label: "Tariff lookup", note: "2 endpoints" },
];

export function FieldExamples() {
  return (
    <ExampleSection
      id="field"
      title="Field"
      about="Label above, parsed value in mono and error below. Errors say how to fix them."
    >
      <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
        <Field label="Credits granted">
          <TextInput defaultValue="250" inputMode="numeric" className="tabular-nums" />
        </Field>
        <Field label="Credits granted, disabled">
          <TextInput defaultValue="250" disabled />
        </Field>
        <Field
          label="Name"
          isRequired
          error="Enter a name of 1 to 120 characters."
          errorCode="invalid_input"
        >
          <TextInput placeholder="Starter" />
        </Field>
        <AmountField />
        <Field label="Spending limit" hint="Defaults never exceed $20.">
          <MoneyInput defaultValue="20.00" unit="USD" />
        </Field>
        <LengthField />
        <ReceiverField start={RECEIVER} />
        <ReceiverField start="0x54F6EcF00f" />
        <ChoiceFields />
        <Field label="Description" isOptional hint="What a subscriber gets.">
          <TextArea defaultValue="Ten years of filings, read and cited." />
        </Field>
      </div>
      <Choices />
    </ExampleSection>
  );
}

function AmountField() {
  const [text, setText] = useState("25.00");
  const [token, setToken] = useState("USDC");
  const reading = readMoney(text, DECIMALS);
  return (
    <Field
      label="Amount"
      echo={echoMoney(text, DECIMALS)}
      error={reading.isAmount ? undefined : reading.fault}
    >
      <MoneyInput
        value={text}
        onChange={(event) => setText(event.target.value)}
        units={TOKENS}
        unitValue={token}
        onUnitChange={setToken}
      />
    </Field>
  );
}

function LengthField() {
  const [durationSecs, setDurationSecs] = useState<number | undefined>(MONTH_SECS);
  const [fault, setFault] = useState<string>();
  return (
    <Field
      label="Length"
      error={fault}
      hint={durationSecs ? `Expires after ${durationText(durationSecs)}.` : "Never expires."}
    >
      <DurationInput
        durationSecs={durationSecs}
        onDurationChange={(next, wrong) => {
          setDurationSecs(next);
          setFault(wrong);
        }}
        mayBeNever
      />
    </Field>
  );
}

function ReceiverField({ start }: { start: string }) {
  const [text, setText] = useState(start);
  const reading = readAddress(text, { ownAddress: ACCOUNT });
  return (
    <Field
      label="Receiver"
      good={reading.isAddress && reading.good}
      error={reading.isAddress ? undefined : reading.fault}
    >
      <AddressInput
        value={text}
        onChange={(event) => setText(event.target.value)}
        onOwnAddress={() => setText(ACCOUNT)}
      />
    </Field>
  );
}

function ChoiceFields() {
  const [network, setNetwork] = useState("base-sepolia");
  const [agent, setAgent] = useState("filings");
  return (
    <>
      <Field label="Network">
        <Select
          value={network}
          onValueChange={setNetwork}
          options={[
            { value: "base-sepolia", label: "Base Sepolia", note: "Sandbox" },
            { value: "base", label: "Base", note: "Live only", isDisabled: true },
          ]}
        />
      </Field>
      <Field label="Agent">
        <Combobox label="Agent" options={AGENTS} value={agent} onValueChange={setAgent} />
      </Field>
    </>
  );
}

function Choices() {
  const [rail, setRail] = useState("stablecoin");
  const [range, setRange] = useState("24h");
  const [card, setCard] = useState("4242");
  const [kind, setKind] = useState("flexible");
  return (
    <>
      <Examples>
        <Checkbox
          label="Proof for each call"
          defaultChecked
          hint="Every call writes a proof on chain."
        />
        <Checkbox label="Register with 2 errors" error="Fix both before you go live." />
        <Checkbox label="Trial" disabled />
        <Switch label="Live tail" defaultChecked />
        <Switch label="Paid" />
        <Switch label="Disabled" disabled />
        <SegmentedControl label="Range" value={range} onValueChange={setRange} options={RANGES} />
      </Examples>
      <SegmentedControl
        label="Payment method"
        isWide
        value={rail}
        onValueChange={setRail}
        options={[
          { value: "card", label: "Card" },
          { value: "stablecoin", label: "Stablecoin" },
          { value: "free", label: "Free" },
        ]}
      />
      <div className="grid gap-6 lg:grid-cols-2">
        <RadioGroup
          label="Card"
          value={card}
          onValueChange={setCard}
          options={[
            { value: "4242", label: "Visa ending in 4242", aside: "12/28" },
            { value: "1881", label: "Visa ending in 1881", reason: "Expired in 09/26." },
            { value: "new", label: "New card" },
          ]}
        />
        <RadioGroup
          label="Kind"
          look="cards"
          value={kind}
          onValueChange={setKind}
          options={[
            {
              value: "fixed",
              label: "Pay per call",
              detail: "Every call costs the same number of credits.",
              aside: "1 credit",
            },
            {
              value: "flexible",
              label: "Flexible per call",
              detail: "The agent sets the credits of each call.",
              aside: "1 to 10",
            },
          ]}
        />
      </div>
    </>
  );
}
