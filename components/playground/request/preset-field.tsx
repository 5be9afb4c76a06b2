import { Field } from "../../ui/fields/field.tsx";
import { Select } from "../../ui/fields/select.tsx";
import type { Preset } from "./preset.ts";

type PresetFieldProps = {
  presets: Preset[];
  /** The current request: the preset that matches it is selected. */
  method: string;
  url: string;
  onChoose: (preset: Preset) => void;
};

/** Endpoints to start from; hidden when there are none. */
export function PresetField({ presets, method, url, onChoose }: PresetFieldProps) {
  if (presets.length === 0) return null;
  return (
    <Field label="Preset">
      <Select
        options={presets.map(({ id, label, note }) => ({ value: id, label, note }))}
        value={presets.find((one) => one.url === url && one.method === method)?.id}
        placeholder="Select an endpoint"
        onValueChange={(id) => {
          const preset = presets.find((one) => one.id === id);
          if (preset) onChoose(preset);
        }}
      />
    </Field>
  );
}
