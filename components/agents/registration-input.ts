import { AgentMetadata, type InputOf, WebUrl } from "@turnpike/payments/protocol";
import { accessInput, type PlanChoice } from "./agent-types.ts";
import type { DefinitionFaults } from "./definition-step.tsx";
import { openRows, paidRows, type RegistrationDraft, type Row } from "./registration-draft.ts";
import { accessWords, type StepName } from "./review-step.tsx";

/** Plans of one's own among the offers of a 402. */
export const ownPlansIn = (
  offers: readonly { planId: string | null }[],
  plans: readonly PlanChoice[],
) => plans.map(({ planId }) => planId).filter((id) => offers.some((offer) => offer.planId === id));

/** What the probe is told of a row. */
export const askedOf = ({ key, verb, url, search, values, sample, isStream }: Row) => ({
  key,
  verb,
  url: url + search,
  ...(values && { values }),
  ...(sample && { sample }),
  ...(isStream && { isStream }),
});

/** What stands beside a step's title. */
export function summaryOf(name: StepName, draft: RegistrationDraft, plans: readonly PlanChoice[]) {
  if (name === "definition")
    return draft.tookMs === null ? undefined : `Read in ${draft.tookMs} ms`;
  if (name === "access") return accessWords(draft);
  if (name === "plans") {
    const chosen = plans.filter(({ planId }) => draft.planIds.includes(planId));
    return chosen.map((plan) => plan.name).join("; ") || undefined;
  }
  if (name !== "endpoints" || draft.rows.length === 0) return undefined;
  return `${draft.rows.length} found, ${paidRows(draft.rows).length} paid, ${draft.rows.filter(({ isPaid }) => !isPaid).length} open`;
}

const tagsOf = (text: string): string[] =>
  text
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);

function aboutOf({ about }: RegistrationDraft) {
  const { name, description, author, license } = about;
  const tags = tagsOf(about.tags);
  return {
    name,
    ...(description && { description }),
    ...(author && { author }),
    ...(license && { license }),
    ...(tags.length > 0 && { tags }),
  };
}

export function definitionFaultsOf(draft: RegistrationDraft): DefinitionFaults {
  const faults: DefinitionFaults = {};
  if (draft.tookMs === null) return { url: "Give the agent’s URL and check it." };
  const about = AgentMetadata.safeParse(aboutOf(draft));
  for (const { path, message } of about.error?.issues ?? []) {
    faults[path[0] as keyof DefinitionFaults] ??= message;
  }
  if (draft.definitionUrl && !WebUrl.safeParse(draft.definitionUrl.trim()).success) {
    faults.definitionUrl = "Give a whole URL, or leave it empty.";
  }
  return faults;
}

export function endpointsFaultOf(rows: readonly Row[]): string | undefined {
  const ticked = rows.filter(({ isTicked }) => isTicked);
  if (ticked.length === 0) return "Tick or add at least one endpoint.";
  const wrong = ticked.find(({ url }) => !WebUrl.safeParse(url.trim()).success);
  return wrong ? `‘${wrong.url}’ is not a whole URL.` : undefined;
}

/** The draft as the service takes it. */
export function inputOf(draft: RegistrationDraft): InputOf<"registerAgent"> {
  const definitionUrl = draft.definitionUrl.trim();
  return {
    metadataAttributes: aboutOf(draft),
    agentApiAttributes: {
      endpoints: paidRows(draft.rows).map(({ verb, url }) => ({ [verb]: url.trim() })),
      openEndpoints: openRows(draft.rows).map(({ url }) => url.trim()),
      ...(definitionUrl && { agentDefinitionUrl: definitionUrl }),
      ...accessInput(draft.access),
    },
    plans: draft.planIds,
  };
}
