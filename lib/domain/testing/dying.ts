import { inFull } from "@/lib/testing/in-full.ts";
import type { Ports } from "../ports.ts";
import { createRails } from "../rails/rails.ts";

/** When a process is killed: before or after a call of a port, named as `port.method`; of every rail, `rails.method`. */
export type Death = { step: string; when: "before" | "after" };

type Work = (...args: unknown[]) => unknown;

const WHENS = inFull(["before", "after"] as const, ["after"] as const);

/** After every step; in full also before it, where little but the step ahead has been done. */
export const deathsAt = <Step extends string>(steps: readonly Step[]) =>
  steps.flatMap((step) => WHENS.map((when) => ({ step, when })));

/**
 * The service's ports in a process that is killed at a step: from then on, nothing it calls does anything.
 *
 * @example await createRefund({ ...context, ports: dying(ports, { step: "refunds.open", when: "after" }) }, input);
 */
export function dying(ports: Ports, death: Death): Ports {
  let isDead = false;
  const alive = <R>(result: R): R => {
    if (isDead) throw new Error("killed");
    return result;
  };
  const guarded = <T extends object>(port: string, parts: T): T =>
    Object.fromEntries(
      Object.entries(parts).map(([name, work]) => {
        if (typeof work !== "function") return [name, work];
        const isHere = `${port}.${name}` === death.step;
        const guard = (...args: unknown[]) => {
          if (isHere && death.when === "before") isDead = true;
          alive(null);
          const result = (work as Work)(...args);
          const after = <R>(done: R): R => {
            if (isHere) isDead = true;
            return alive(done);
          };
          return result instanceof Promise ? result.then(after) : after(result);
        };
        return [name, guard];
      }),
    ) as T;
  const isPort = (port: unknown): port is object =>
    port instanceof Object && Object.getPrototypeOf(port) === Object.prototype;
  const all = Object.entries(ports).map(([name, port]) => [
    name,
    isPort(port) ? guarded(name, port) : port,
  ]);
  return {
    ...(Object.fromEntries(all) as Ports),
    rails: createRails(
      ports.rails.all.map((rail) => guarded("rails", rail)),
      ports.schemeAliases,
    ),
  };
}
