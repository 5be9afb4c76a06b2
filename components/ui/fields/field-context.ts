import { createContext, useContext } from "react";

export type FieldContext = {
  id: string;
  describedBy: string | undefined;
  isInvalid: boolean;
  isRequired: boolean;
};

export const FieldContext = createContext<FieldContext | undefined>(undefined);

type ControlProps = {
  id?: string;
  "aria-describedby"?: string;
  "aria-invalid"?: boolean | "true" | "false" | "grammar" | "spelling";
  required?: boolean;
};

/** The attributes that tie a control to its field; the control's own props win. */
export function useFieldControl(props: ControlProps) {
  const field = useContext(FieldContext);
  const describedBy = [props["aria-describedby"], field?.describedBy].filter(Boolean).join(" ");
  return {
    id: props.id ?? field?.id,
    "aria-describedby": describedBy || undefined,
    "aria-invalid": props["aria-invalid"] ?? (field?.isInvalid || undefined),
    "aria-required": (props.required ?? field?.isRequired) || undefined,
  };
}
