import { UnrecognizedActionError } from "next/dist/client/components/unrecognized-action-error.js";
import type * as forms from "react-hook-form";
import { expect, test, vi } from "vitest";
import { createResolver } from "./create-resolver.ts";
import { KEEP_TYPED, useOperationForm } from "./use-operation-form.ts";

// The form without its component: the hook's own control, with the options it is given.
vi.mock("react-hook-form", async (load) => {
  const library = await load<typeof forms>();
  return {
    ...library,
    useForm: (options: object) => ({
      ...library.createFormControl(options),
      formState: { errors: {}, isSubmitting: false },
    }),
  };
});

type Values = { name: string };

const formOf = (mode?: "onTouched") =>
  useOperationForm<Values>({
    defaultValues: { name: "" },
    resolver: createResolver(({ name }: Values) =>
      name ? { input: { name } } : { faults: { name: "Enter a name." } },
    ),
    run: async ({ name }) => ({ ok: true, data: name }),
    onDone: () => {},
    ...(mode && { mode }),
  });

/** Leaves the empty field. */
async function blur(form: ReturnType<typeof formOf>): Promise<string | undefined> {
  const { onBlur } = form.register("name");
  await onBlur({ type: "blur", target: { name: "name", value: "" } });
  return form.getFieldState("name").error?.message;
}

test("a field is not wrong before its form is sent", async () => {
  const form = formOf();
  expect(await blur(form)).toBeUndefined();
  await form.submit();
  expect(form.getFieldState("name").error?.message).toBe("Enter a name.");
});

test("a form that shows what its fields mean checks each field that is left", async () => {
  expect(await blur(formOf("onTouched"))).toBe("Enter a name.");
});

test("a form has unsaved edits until they are saved, and keeps those typed meanwhile", async () => {
  const name = "Mine";
  let typed = "";
  const form = useOperationForm<Values>({
    defaultValues: { name },
    run: async (sent) => {
      if (typed) form.setValue("name", typed, { shouldDirty: true });
      return { ok: true, data: sent };
    },
    onDone: () => {},
  });
  const seen: (boolean | undefined)[] = [];
  form.subscribe({ formState: { isDirty: true }, callback: ({ isDirty }) => seen.push(isDirty) });
  form.setValue("name", "Yours", { shouldDirty: true });
  expect(seen.at(-1)).toBe(true);
  await form.submit();
  expect(seen.at(-1)).toBe(false);
  typed = "Theirs";
  await form.submit();
  expect(seen.at(-1)).toBe(true);
});

test("what is typed while a form is saved stays, beside what others saved", async () => {
  type Limits = { day: string; week: string; rows: { limit: string }[] };
  const saved: Limits = { day: "10.00", week: "40.00", rows: [{ limit: "7" }] };
  const form = useOperationForm<Limits, Limits, Limits>({
    defaultValues: { day: "", week: "", rows: [{ limit: "" }] },
    run: async () => {
      form.setValue("week", "50.00", { shouldDirty: true });
      form.setValue("rows.0.limit", "8", { shouldDirty: true });
      return { ok: true, data: saved };
    },
    onDone: (now) => form.reset(now, KEEP_TYPED),
  });
  const seen: (boolean | undefined)[] = [];
  form.subscribe({ formState: { isDirty: true }, callback: ({ isDirty }) => seen.push(isDirty) });
  for (const name of ["day", "week", "rows.0.limit"] as const) form.register(name);
  form.setValue("day", "10", { shouldDirty: true });
  await form.submit();
  expect(form.getValues()).toEqual({ day: "10.00", week: "50.00", rows: [{ limit: "8" }] });
  expect(seen.at(-1)).toBe(true);
});

test("a form of a page that is out of date says so, whatever it says of a lost connection", async () => {
  const form = useOperationForm<Values>({
    defaultValues: { name: "Mine" },
    run: () => Promise.reject(new UnrecognizedActionError("Server Action was not found.")),
    onDone: () => {},
  });
  await form.submit();
  expect(form.getFieldState("root" as "name").error).toMatchObject({
    type: "page_outdated",
    message: "This page is out of date. Nothing was changed. Reload it.",
  });
});
