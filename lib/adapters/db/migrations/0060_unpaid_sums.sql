CREATE TABLE "counted_unpaid" (
	"request_key" text NOT NULL,
	"account" text NOT NULL,
	"role" text NOT NULL,
	"plan_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"is_agent_proven" boolean NOT NULL,
	"is_test" boolean NOT NULL,
	"is_public" boolean NOT NULL,
	"status" text NOT NULL,
	"cause" text NOT NULL,
	"reason" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"payer" text NOT NULL,
	"route" text NOT NULL,
	"source" bigint NOT NULL,
	CONSTRAINT "counted_unpaid_request_key_role_pk" PRIMARY KEY("request_key","role")
);
--> statement-breakpoint
CREATE TABLE "unpaid_sums" (
	"account" text NOT NULL,
	"role" text NOT NULL,
	"plan_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"is_agent_proven" boolean NOT NULL,
	"is_test" boolean NOT NULL,
	"is_public" boolean NOT NULL,
	"status" text NOT NULL,
	"cause" text NOT NULL,
	"reason" text NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"n" bigint NOT NULL,
	CONSTRAINT "unpaid_sums_pk" PRIMARY KEY("account","role","hour","plan_id","agent_id","is_agent_proven","is_test","is_public","status","cause","reason")
);
--> statement-breakpoint
ALTER TABLE "summed_accounts" ADD COLUMN "unpaid_from" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "counted_unpaid_at" ON "counted_unpaid" USING btree ("at");--> statement-breakpoint
CREATE INDEX "counted_unpaid_source" ON "counted_unpaid" USING btree ("account","role","source","at" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "unpaid_sums_hour" ON "unpaid_sums" USING brin ("hour");--> statement-breakpoint
CREATE INDEX "summed_accounts_unpaid" ON "summed_accounts" USING btree ("unpaid_from");--> statement-breakpoint
-- Busy accounts: the background counts their requests day by day.
UPDATE "summed_accounts" SET "unpaid_from" = 'infinity' WHERE "covered_from" IS NOT NULL;
