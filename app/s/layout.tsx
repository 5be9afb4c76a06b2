export { ViewerFrame as default } from "@/app/explore/viewer-frame.tsx";
