export { ViewerFrame as default } from "./viewer-frame.tsx";
