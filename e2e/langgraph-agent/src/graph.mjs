import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { noteGraphRun } from "./spans.mjs";

const State = Annotation.Root({ text: Annotation, words: Annotation });

/** Counts the words of a text, and fails without any. After a text that asks it to linger, it runs until it is cancelled. */
export const graph = new StateGraph(State)
  .addNode("count", ({ text }) => {
    noteGraphRun();
    const words = text.split(/\s+/).filter(Boolean).length;
    if (words === 0) throw new Error("The text has no words.");
    return { words };
  })
  .addNode("linger", ({ text }, { signal }) =>
    text.startsWith("linger") ? new Promise((end) => signal.addEventListener("abort", end)) : {},
  )
  .addEdge(START, "count")
  .addEdge("count", "linger")
  .addEdge("linger", END)
  .compile();
