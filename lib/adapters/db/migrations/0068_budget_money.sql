CREATE TABLE "budget_money" (
	"account" text NOT NULL,
	"day" date NOT NULL,
	"delegation_id" text NOT NULL,
	"builder" text NOT NULL,
	"agent_id" text NOT NULL,
	"currency" text NOT NULL,
	"cents" numeric NOT NULL,
	CONSTRAINT "budget_money_key" PRIMARY KEY("account","day","delegation_id","builder","agent_id","currency")
);
--> statement-breakpoint
ALTER TABLE "budgets" ADD COLUMN "counted_at" timestamp with time zone;