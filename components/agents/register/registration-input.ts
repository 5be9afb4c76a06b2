import { AgentMetadata, type InputOf, WebUrl } from "@turnpike/payments/protocol";
import type { FieldPath } from "react-hook-form";
import { plural } from "@/lib/text/plural.ts";
import { readTags } from "@/lib/text/read-tags.ts";
import { createResolver, type FieldFault } from "../../forms/create-resolver.ts";
import { accessFaults } from "../access-faults.ts";
import { AUTH_TYPE_LABELS, accessInput, type PlanChoice } from "../agent-types.ts";
import {
  openRows,
  paidRows,
  type RegistrationDraft,
  type Row,
  unreachedNote,
} from "./registration-draft.ts";
import type { StepName } from "./registration-steps.ts";

export type RegistrationInput = InputOf<"registerAgent">;

export const accessText = ({ access }: Pick<RegistrationDraft, "access">): string => {
  const { length } = access.headers.filter(({ name }) => name.trim() !== "");
  return (
    AUTH_TYPE_LABELS[access.authType] + (length > 0 ? `, ${plural(length, "extra header")}` : "")
  );
};

export const planNames = (draft: RegistrationDraft, plans: readonly PlanChoice[]): string =>
  plans
    .filter(({ planId }) => draft.planIds.includes(planId))
    .map(({ name }) => name)
    .join("; ");

export function stepSummary(
  step: StepName,
  draft: RegistrationDraft,
  plans: readonly PlanChoice[],
): string | undefined {
  const { rows, tookMs } = draft;
  if (step === "definition") {
    if (tookMs === null) return undefined;
    return unreachedNote(draft) ? "Not reached" : `Read in ${tookMs} ms`;
  }
  if (step === "access") return accessText(draft);
  if (step === "plans") return planNames(draft, plans) || undefined;
  if (step === "review" || rows.length === 0) return undefined;
  const free = rows.filter(({ isPaid }) => !isPaid).length;
  return `${rows.length} found, ${paidRows(rows).length} paid, ${free} free`;
}

function metadataOf({ about }: RegistrationDraft): RegistrationInput["metadataAttributes"] {
  const { name, description, author, license } = about;
  const tags = readTags(about.tags);
  return {
    name,
    ...(description && { description }),
    ...(author && { author }),
    ...(license && { license }),
    ...(tags.length > 0 && { tags }),
  };
}

/**
 * What is wrong with the rows. Registered ones are the service's to check: agents that were registered by API also have
 * paths, such as `/ask`, and addresses that are not reached by HTTP, such as `mcp://server/tools/search`.
 */
export function rowsFault(rows: readonly Row[]): string | undefined {
  const ticked = rows.filter(({ isTicked }) => isTicked);
  if (ticked.length === 0) return "Select or add at least one endpoint.";
  const wrong = ticked.find(
    ({ isRegistered, url }) => !isRegistered && !WebUrl.safeParse(url.trim()).success,
  );
  return wrong && `“${wrong.url}” is not a valid URL. Enter the full URL, with https://.`;
}

/** Everything wrong with the draft, in the order of the steps. */
export function registrationFaults(draft: RegistrationDraft): FieldFault[] {
  const { tookMs, definitionUrl, rows, access } = draft;
  if (tookMs === null) return [{ path: "url", message: "Enter the agent’s URL and check it." }];
  const metadata = AgentMetadata.safeParse(metadataOf(draft)).error?.issues ?? [];
  const isUrlValid = WebUrl.safeParse(definitionUrl.trim()).success;
  const endpoints = rowsFault(rows);
  return [
    ...metadata.map(({ path, message }) => ({ path: `about.${String(path[0])}`, message })),
    ...(isUrlValid
      ? []
      : [{ path: "definitionUrl", message: "Enter the full URL, with https://." }]),
    ...(endpoints ? [{ path: "rows", message: endpoints }] : []),
    ...accessFaults(access),
  ];
}

export const registrationResolver = createResolver((draft: RegistrationDraft) => {
  const faults = registrationFaults(draft);
  return faults.length > 0 ? { faults } : { input: inputOf(draft) };
});

export function draftFieldOf(path: string): FieldPath<RegistrationDraft> | undefined {
  const [top, member = ""] = path.split(".");
  if (top === "metadataAttributes") return `about.${member}` as FieldPath<RegistrationDraft>;
  if (top === "plans") return "planIds";
  if (top !== "agentApiAttributes") return undefined;
  if (member === "endpoints" || member === "openEndpoints") return "rows";
  if (member === "agentDefinitionUrl") return "definitionUrl";
  const secret = (["username", "password", "token", "headers"] as const).find(
    (one) => one === member,
  );
  return secret && `access.${secret}`;
}

export function inputOf(draft: RegistrationDraft): RegistrationInput {
  return {
    metadataAttributes: metadataOf(draft),
    agentApiAttributes: {
      ...endpointsInput(draft.rows),
      agentDefinitionUrl: draft.definitionUrl.trim(),
      ...accessInput(draft.access),
    },
    plans: draft.planIds,
  };
}

export const endpointsInput = (rows: readonly Row[]) => ({
  endpoints: paidRows(rows).map(({ verb, url }) => ({ [verb]: url.trim() })),
  openEndpoints: openRows(rows).map(({ url }) => url.trim()),
});
