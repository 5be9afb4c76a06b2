CREATE TABLE "time_debts" (
	"ref" text PRIMARY KEY NOT NULL,
	"account" text NOT NULL,
	"plan_id" text NOT NULL,
	"open_secs" double precision NOT NULL,
	"forgotten_secs" double precision NOT NULL
);
--> statement-breakpoint
CREATE INDEX "time_debts_balance" ON "time_debts" USING btree ("account","plan_id");