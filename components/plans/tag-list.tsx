import { Tag } from "../ui/values/tag.tsx";

export function TagList({ tags }: { tags: string[] }) {
  return (
    <span className="flex flex-wrap gap-1">
      {tags.map((tag) => (
        <Tag key={tag} className="h-auto min-h-5 whitespace-normal wrap-anywhere">
          {tag}
        </Tag>
      ))}
    </span>
  );
}
