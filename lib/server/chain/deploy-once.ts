import "server-only";
import { getAddress } from "viem";
import { type DeployOptions, deployContracts, planContracts } from "@/lib/adapters/chain/deploy.ts";
import {
  type Deployment,
  readDeployment,
  writeDeployment,
} from "@/lib/adapters/chain/deployment.ts";
import { isEmptyDatabase } from "@/lib/adapters/db/chain/made-for.ts";
import { noPostgresError } from "../preflight/no-postgres.ts";

type Options = DeployOptions & {
  chainId: number;
  deploymentsFile: string;
  /** Whose credits the contracts hold. */
  databaseUrl: string | undefined;
  /** Replace the contracts that the file names; allowed on an empty database only. */
  isNew: boolean;
};

/** Contracts that no other refers to, by their field of the deployments file, which earlier releases did not write. */
const ADDED = [
  ["captures", "Captures"],
  ["periodLimits", "PeriodLimitsEnforcer"],
] as const;

/** Adds the contracts that the file does not name yet; all others stay as they are. */
async function addMissing(
  options: Options,
  known: Deployment,
): Promise<{ deployment: Deployment; isKept: boolean }> {
  const missing = ADDED.filter(([field]) => known[field] === undefined);
  if (missing.length === 0) return { deployment: known, isKept: true };
  const deployed = await deployContracts({ ...options, only: missing.map(([, name]) => name) });
  const added = Object.fromEntries(missing.map(([field]) => [field, deployed[field]]));
  const deployment = { ...known, ...added };
  writeDeployment(options.deploymentsFile, deployment);
  return { deployment, isKept: false };
}

/**
 * Deploys the contracts of a chain once. Contracts that the file names stay as they are: credits and tokens of the
 * database belong to them. Those of later releases are added.
 *
 * @throws Error that says why nothing was deployed.
 * @example const { deployment, isKept } = await deployOnce({ ...chain, admin, sandbox: false, databaseUrl, isNew: false });
 */
export async function deployOnce(
  options: Options,
): Promise<{ deployment: Deployment; isKept: boolean }> {
  const { chainId, deploymentsFile, databaseUrl, isNew } = options;
  const { client, plan } = await planContracts(options);
  if (plan.deployment.chainId !== chainId) {
    throw new Error(
      `CHAIN_RPC_URL is chain ${plan.deployment.chainId}, but CHAIN_ID is ${chainId}. Correct one of them.`,
    );
  }
  const known = readDeployment(deploymentsFile, chainId);
  const isSame = known !== undefined && known.plans === getAddress(plan.deployment.plans);
  // Another settler than they were deployed with can add to them: none of what is added refers to it.
  if (known && (isSame || !isNew) && (await client.getCode({ address: known.plans }))) {
    return addMissing(options, known);
  }
  if (known && !isSame && !isNew) {
    throw new Error(
      `${deploymentsFile} already names contracts for chain ${chainId}, with Plans at ${known.plans}, where the chain has no code, and these settings would deploy others. Nothing was deployed. Keep the settler, --admin and --pauser they were deployed with. With an empty database, pass --new to deploy others.`,
    );
  }
  if (isNew && !databaseUrl) {
    throw new Error("--new needs DATABASE_URL, to check that the database is empty.");
  }
  // Without a file the database may still be in use with contracts that are deployed elsewhere.
  if (!isSame && databaseUrl && !(await isEmpty(databaseUrl))) {
    throw new Error(
      "The database at DATABASE_URL has accounts, and their credits and tokens belong to the contracts it was made for. Nothing was deployed. Restore its DEPLOYMENTS_FILE, or use an empty database.",
    );
  }
  const startBlock = Number(await client.getBlockNumber());
  const deployed = await deployContracts(options);
  // Events are searched from here; contracts that are new were deployed after this block.
  const deployment = { ...deployed, block: isSame ? (known.block ?? startBlock) : startBlock };
  writeDeployment(deploymentsFile, deployment);
  return { deployment, isKept: false };
}

/** Whether the database has no account yet; if it can't be reached, the error names its setting. */
const isEmpty = (url: string): Promise<boolean> =>
  isEmptyDatabase(url).catch((cause) => {
    throw noPostgresError(cause);
  });
