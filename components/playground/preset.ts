/** An endpoint to start from: the demo agent, one of my agents, a run of before. */
export type Preset = {
  id: string;
  label: string;
  note?: string;
  method: string;
  url: string;
  body?: string;
};
