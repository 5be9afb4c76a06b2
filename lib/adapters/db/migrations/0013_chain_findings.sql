CREATE TABLE "chain_cursors" (
	"contract" text PRIMARY KEY NOT NULL,
	"block" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "chain_findings" (
	"finding_id" text PRIMARY KEY NOT NULL,
	"contract" text NOT NULL,
	"block" bigint NOT NULL,
	"transaction" text NOT NULL,
	"kind" text NOT NULL,
	"state" text NOT NULL,
	"detail" text NOT NULL,
	"account" text,
	"plan_id" text,
	"credits" numeric(78,0) NOT NULL,
	"note" text,
	"found_at" timestamp with time zone NOT NULL,
	"explained_at" timestamp with time zone
);
--> statement-breakpoint
CREATE INDEX "chain_findings_open" ON "chain_findings" USING btree ("contract") WHERE state = 'open';--> statement-breakpoint
CREATE INDEX "chain_findings_account" ON "chain_findings" USING btree ("account","plan_id");