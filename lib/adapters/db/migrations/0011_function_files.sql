CREATE TABLE "function_files" (
	"name" text PRIMARY KEY NOT NULL,
	"version" integer NOT NULL,
	"content" text NOT NULL,
	"applied_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "is_collected" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- Until now only card orders were collected.
update orders set is_collected = true
where scheme = 'svc:card-delegation' and price > 0 and status in ('minted', 'refunded');
