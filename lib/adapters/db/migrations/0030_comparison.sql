CREATE TABLE "checked_balances" (
	"account" text NOT NULL,
	"plan_id" text NOT NULL,
	"seq" bigint NOT NULL,
	"available" numeric(78,0) NOT NULL,
	"held" numeric(78,0) NOT NULL,
	"debt" numeric(78,0) NOT NULL,
	CONSTRAINT "checked_balances_account_plan_id_pk" PRIMARY KEY("account","plan_id")
);
--> statement-breakpoint
CREATE TABLE "comparison_watermarks" (
	"name" text PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "differences" (
	"difference_id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"reference" text,
	"detail" text NOT NULL,
	"state" text NOT NULL,
	"note" text,
	"found_at" timestamp with time zone NOT NULL,
	"closed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE INDEX "differences_open" ON "differences" USING btree ("found_at") WHERE state = 'open';--> statement-breakpoint
CREATE INDEX "holds_builder_unposted" ON "holds" USING btree ("builder","created_at") WHERE state <> 'posted';--> statement-breakpoint
CREATE INDEX "orders_updated" ON "orders" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "refunds_updated" ON "refunds" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "settlements_recent" ON "settlements" USING brin ("created_at");--> statement-breakpoint
CREATE INDEX "transfers_recent" ON "transfers" USING brin ("created_at");