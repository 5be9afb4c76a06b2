type Labels = Record<string, string | number>;

type Config<Registry> = {
  name: string;
  help: string;
  labelNames?: string[];
  registers?: Registry[];
};

/** As much of `prom-client` as the metrics need, so that the package is not needed here. */
export type PromClient<Registry> = {
  Counter: new (config: Config<Registry>) => { inc(labels: Labels): void };
  Histogram: new (
    config: Config<Registry> & { buckets: number[] },
  ) => { observe(labels: Labels, value: number): void };
  Gauge: new (config: Config<Registry>) => { set(value: number): void };
};
