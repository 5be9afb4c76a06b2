type Labels = Record<string, string | number>;

type Config<Registry> = {
  name: string;
  help: string;
  labelNames?: string[];
  registers?: Registry[];
};

/** The parts of `prom-client` that the metrics need, so that it is not a dependency. */
export type PromClient<Registry> = {
  Counter: new (config: Config<Registry>) => { inc(labels: Labels): void };
  Histogram: new (
    config: Config<Registry> & { buckets: number[] },
  ) => { observe(labels: Labels, value: number): void };
  Gauge: new (config: Config<Registry>) => { set(value: number): void };
};
